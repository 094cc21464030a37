/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `weft iwarp ping ADDR`: rping's client. */
#include "cli/iwarp_action.h"
#include "cli/iwarp_address.h"
#include "cli/iwarp_ping.h"
#include "cli/json_print.h"
#include "cli/message.h"
#include "cli/quantity.h"
#include "cli/verb.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Round trips in ns. */
struct times {
    weft_time min, max, sum;
};

static void add_time(struct times *t, weft_time took)
{
    if (t->sum == 0 || took < t->min)
        t->min = took;
    if (took > t->max)
        t->max = took;
    t->sum += took;
}

static void tell_wrong(const struct ping *p, size_t at)
{
    uint8_t pattern[RPING_SIZE_MAX];

    rping_fill(p->done, pattern, p->bytes);
    message("ping %" PRIu64 ": byte %zu of %" PRIu64 " came back as 0x%02x, not as 0x%02x",
            p->done + 1, at, p->bytes, p->sink[at], pattern[at]);
}

/* One ping; false: it cannot go on. */
static bool ping_once(struct ping *p, struct times *t)
{
    struct rping_advert start = {(uintptr_t)p->start, p->start_stag, (uint32_t)p->bytes};
    struct rping_advert sink = {(uintptr_t)p->sink, p->sink_stag, (uint32_t)p->bytes};
    char text[QUANTITY_TEXT_BYTES];
    weft_time began = iw_loop_now();
    weft_time took;
    size_t right;

    rping_fill(p->done, p->start, p->bytes);
    memset(p->sink, 0, p->bytes);
    if (!ping_send(p, &start) || !ping_receive(p) || !ping_send(p, &sink) || !ping_receive(p))
        return false;
    took = iw_loop_now() - began;
    add_time(t, took);
    right = rping_compare(p->done, p->sink, p->bytes);
    if (right < p->bytes) {
        p->wrong++;
        tell_wrong(p, right);
    } else if (p->link.session->request->verbose && !p->link.session->request->json) {
        quantity_print_duration(took, text);
        printf("ping %" PRIu64 ": %" PRIu64 " bytes, %s\n", p->done + 1, p->bytes, text);
        fflush(stdout);
    }
    p->done++;
    return true;
}

static void print_summary(const struct ping *p, const struct times *t)
{
    char min[QUANTITY_TEXT_BYTES];
    char average[QUANTITY_TEXT_BYTES];
    char max[QUANTITY_TEXT_BYTES];

    printf("%" PRIu64 " ping%s of %" PRIu64 " bytes, %" PRIu64 " right", p->done,
           p->done == 1 ? "" : "s", p->bytes, p->done - p->wrong);
    if (p->done > 0) {
        quantity_print_duration(t->min, min);
        quantity_print_duration(t->sum / p->done, average);
        quantity_print_duration(t->max, max);
        printf("; round trip min %s, average %s, max %s", min, average, max);
    }
    printf("\n");
}

static int print_json(const struct ping *p, const struct times *t, int exit_code)
{
    char why[IWARP_NAME_BYTES];
    const char *error = p->error;
    json_t *root;

    if (!p->link.was_up)
        error =
            exit_code == CLI_PART ? "interrupted" : iwarp_link_reason(&p->link, why, sizeof(why));
    root = json_pack("{s:s, s:s, s:b, s:I, s:I, s:I, s:I, s:o}", "schema", "weft.iwarp.ping/1",
                     "role", "client", "ok", exit_code == CLI_DONE, "size", (json_int_t)p->bytes,
                     "asked", (json_int_t)p->link.session->request->count, "pings",
                     (json_int_t)p->done, "right", (json_int_t)(p->done - p->wrong), "connection",
                     p->link.was_up ? iwarp_link_json(&p->link) : json_null());
    if (root && p->done > 0)
        json_object_set_new(root, "round_trip_ns",
                            json_pack("{s:I, s:I, s:I}", "min", (json_int_t)t->min, "average",
                                      (json_int_t)(t->sum / p->done), "max", (json_int_t)t->max));
    if (root && p->link.status == WEFT_IWCM_REJECTED) {
        json_object_set_new(root, "rejected", json_true());
        json_object_set_new(root, "connection", iwarp_link_json(&p->link));
    }
    if (root && error[0] != '\0')
        json_object_set_new(root, "error", json_string(error));
    return json_print(root) == CLI_DONE ? exit_code : CLI_FAILED;
}

static int run_pings(struct ping *p, struct times *t)
{
    const struct iwarp_request *r = p->link.session->request;
    char address[IWARP_ADDRESS_TEXT];

    p->bytes = r->size;
    if (!r->json)
        iwarp_link_print(&p->link, stdout);
    while ((r->count == 0 || p->done < r->count) && !iwarp_session_interrupted())
        if (!ping_once(p, t))
            break;
    if (p->link.state != IWARP_LINK_UP && p->error[0] == '\0')
        snprintf(p->error, sizeof(p->error), "the peer has closed the connection");
    if (p->error[0] != '\0') {
        message("%s: ping %" PRIu64 ": %s", iwarp_address_text(&p->link.remote, address),
                p->done + 1, p->error);
        return CLI_FAILED;
    }
    if (p->wrong > 0)
        return CLI_PART;
    return p->done < r->count || p->done == 0 ? CLI_PART : CLI_DONE;
}

int iwarp_ping_client(const struct iwarp_request *r)
{
    struct weft_iwcm_param param = {.private_data = r->private_data.data,
                                    .private_bytes = r->private_data.bytes,
                                    .ird = 1,
                                    .ord = 1};
    struct iwarp_session session;
    struct times times = {0};
    struct ping p;
    int exit_code = iwarp_session_open(&session, r, 1);

    if (exit_code != CLI_DONE)
        return exit_code;
    if (!ping_new(&p, &session)) {
        iwarp_session_close(&session);
        return CLI_FAILED;
    }
    iwarp_link_connect(&p.link, &param);
    if (iwarp_link_wait_up(&p.link, iwarp_session_in(2 * r->timeout))) {
        exit_code = run_pings(&p, &times);
    } else {
        exit_code = iwarp_session_interrupted() ? CLI_PART : CLI_FAILED;
        if (exit_code == CLI_FAILED)
            iwarp_link_tell_failure(&p.link, "weft iwarp ping --server or rping -s");
    }
    if (r->json)
        exit_code = print_json(&p, &times, exit_code);
    else if (p.link.was_up)
        print_summary(&p, &times);
    ping_free(&p, iwarp_session_in(r->timeout));
    iwarp_session_close(&session);
    return exit_code;
}
