/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A storm as a JSON document: times in ns, a hash as 16 hex digits, null where there is nothing. */
#include "cli/storm_show.h"

#include <inttypes.h>
#include <stdio.h>

static json_t *number(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *duration(weft_time duration_ns)
{
    return duration_ns == WEFT_TIME_NEVER ? json_null() : number(duration_ns);
}

/* All numbers of a table; words as words, shares in millionths. */
static json_t *parameters(const struct storm_field *table, const void *of)
{
    json_t *root = json_object();

    for (const struct storm_field *f = table; f->key; f++) {
        uint64_t value = storm_field_get(of, f);
        json_t *json = value == STORM_INHERIT  ? json_null()
                       : f->unit == STORM_WORD ? json_string(f->words[value])
                                               : number(value);

        if (json_object_set_new(root, f->key, json) != 0) {
            json_decref(root);
            return NULL;
        }
    }
    return root;
}

static json_t *hex(uint64_t value)
{
    char text[17];

    snprintf(text, sizeof(text), "%016" PRIx64, value);
    return json_string(text);
}

static json_t *policy(const struct storm_outcome *o)
{
    const struct storm_result *r = &o->result;
    const struct storm_client_totals *c = &r->clients;

    return json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o,"
        " s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o}",
        "name", o->name,                                            //
        "resolved", number(c->clients_resolved),                    //
        "failed", number(c->clients_failed),                        //
        "time_to_all_resolved_ns",                                  //
        duration(c->clients_failed > 0 ? WEFT_TIME_NEVER : r->end), //
        "p50_ns", duration(r->p50),                                 //
        "p99_ns", duration(r->p99),                                 //
        "max_ns", duration(r->max),                                 //
        "mads_sent", number(c->requests),                           //
        "retries", number(c->requests - c->asked),                  //
        "busy", number(r->busy),                                    //
        "sa_dropped", number(r->sa_dropped),                        //
        "recv_dropped", number(c->recv_dropped),                    //
        "stale_work", number(r->stale),                             //
        "trace_hash", hex(r->trace_hash),                           //
        "duplicates", number(r->duplicates),                        //
        "queue_peak", number(r->queue_peak),                        //
        "queries_resolved", number(c->queries_resolved),            //
        "queries_failed", number(c->queries_failed),                //
        "sa_answers", number(r->answers),                           //
        "sa_expired", number(r->sa_expired),                        //
        "lost", number(r->lost),                                    //
        "rogue_requests", number(c->rogue_requests),                //
        "end_ns", number(r->end),                                   //
        "quiet_ns", number(r->quiet),                               //
        "cut", r->cut,                                              //
        "waiting", number(r->waiting),                              //
        "settings", parameters(storm_policy_fields, &o->policy));
}

json_t *storm_json(const struct storm_job *job)
{
    const struct storm_scenario *s = &job->scenario;
    json_t *policies = json_array();

    for (size_t i = 0; i < job->outcome_count; i++) {
        if (json_array_append_new(policies, policy(&job->outcomes[i])) != 0) {
            json_decref(policies);
            return NULL;
        }
    }
    return json_pack(
        "{s:s, s:o, s:s, s:{s:o, s:o}, s:o, s:{s:o, s:o, s:s}, s:o, s:o, s:o, s:o, s:o}", //
        "schema", "weft.storm/1",                                                         //
        "seed", number(job->seed),                                                        //
        "scenario", job->scenario_name,                                                   //
        "topology", "hosts", number(job->hosts),                                          //
        "switches", number(job->switches),                                                //
        "clients", number(job->clients),                                                  //
        "sa", "rate_per_s", number(s->sa_rate),                                           //
        "queue", number(s->sa_queue),                                                     //
        "overload", storm_overload_words[s->sa_overload],                                 //
        "sa_host", job->sa_guid == 0 ? json_null() : hex(job->sa_guid),                   //
        "unreachable_hosts", number(job->unreachable),                                    //
        "least_time_ns", number(storm_job_least_time(job)),                               //
        "parameters", parameters(storm_scenario_fields, s),                               //
        "policies", policies);
}
