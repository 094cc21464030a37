/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Between machines of src/client and a port. */
#include "cli/mad_drive.h"

#include "cli/mad_place.h"
#include "cli/message.h"
#include "cli/verb.h"

/* A pace that was not used for so long gives no more for it. */
#define BURST   (10 * WEFT_MS)
/* A signal that comes just before the sleep ends it so much later. */
#define LOOK_UP (100 * WEFT_MS)

static weft_time packet_time(const struct mad_pace *p)
{
    return WEFT_S / p->rate;
}

/* What the engine has sent again counts as much as what is posted. */
static void pace_look(struct mad_pace *p, const struct mad_link *l)
{
    struct weft_mad_port_stats stats;

    if (p->rate == 0)
        return;
    weft_mad_port_stats(l->engine, &stats);
    p->next += (stats.retried - p->retried) * packet_time(p);
    p->retried = stats.retried;
    if (p->next + BURST < l->now)
        p->next = l->now - BURST;
}

static bool pace_holds(struct mad_pace *p, const struct mad_link *l)
{
    if (p->rate == 0 || p->next <= l->now)
        return false;
    if (p->held_from == 0)
        p->held_from = l->now;
    return true;
}

static void pace_posted(struct mad_pace *p, const struct mad_link *l)
{
    if (p->rate == 0)
        return;
    p->next += packet_time(p);
    if (p->held_from != 0)
        p->held += l->now - p->held_from;
    p->held_from = 0;
}

/* Posts what a machine wants to send, as far as the pace allows.
 * Returns 0, or why the engine does not take it. */
static int post_all(struct mad_link *l, const struct mad_machine *m, struct mad_pace *pace)
{
    struct weft_mad_send_req request;
    int err = 0;

    while (!err && !pace_holds(pace, l) && m->poll(m->self, &request)) {
        err = weft_mad_post(l->engine, l->now, &request, NULL);
        pace_posted(pace, l);
    }
    if (!pace_holds(pace, l))
        pace->held_from = 0;
    return err;
}

/* Feeds the machines what has happened.
 * Returns whether anything has. */
static bool feed_all(struct mad_link *l, const struct mad_machine *all, size_t count)
{
    struct weft_mad_event ev;
    bool any = false;

    while (weft_mad_poll_event(l->engine, &ev)) {
        any = true;
        for (size_t i = 0; i < count; i++)
            all[i].event(all[i].self, &ev);
        if (ev.type == WEFT_MAD_EVENT_RECV)
            (void)weft_mad_recv_release(l->engine, ev.u.recv.id);
    }
    return any;
}

static void sleep_until(struct mad_link *l, struct mad_pace *pace)
{
    weft_time until = pace->until;

    if (pace->held_from != 0 && pace->next < until)
        until = pace->next;
    if (pace->end && l->now + LOOK_UP < until)
        until = l->now + LOOK_UP;
    mad_link_wait(l, until);
}

int mad_drive_paced(struct mad_link *l, const struct mad_machine *all, size_t count,
                    struct mad_pace *pace)
{
    int err = 0;

    pace->held_from = 0;
    for (;;) {
        pace_look(pace, l);
        for (size_t i = 0; i < count && !err; i++)
            err = post_all(l, &all[i], pace);
        if (err)
            return message_failed("the MAD engine refuses a request: %s", weft_strerror(err));
        if (all[0].done(all[0].self) || l->now >= pace->until || (pace->end && *pace->end != 0))
            return CLI_DONE;
        if (l->ended)
            return message_failed("%s", mad_link_why_ended(l));
        mad_link_move(l);
        if (!feed_all(l, all, count))
            sleep_until(l, pace);
    }
}

int mad_drive(struct mad_link *l, const struct mad_machine *m)
{
    struct mad_pace pace = {.until = WEFT_TIME_NEVER};

    return mad_drive_paced(l, m, 1, &pace);
}

int mad_drive_renew(struct mad_link *l, const struct mad_machine *all, size_t count,
                    const struct weft_mad_agent_req *r, weft_mad_agent_id *agent)
{
    int err = mad_link_agent_remove(l, *agent);

    /* Packets that the host still holds come back when it moves. */
    mad_link_move(l);
    (void)feed_all(l, all, count);
    if (err)
        return message_failed("requests cannot be taken back: %s", weft_strerror(err));
    return mad_place_agent(l, r, agent);
}
