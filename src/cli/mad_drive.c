/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Between a machine of src/client and a port. */
#include "cli/mad_drive.h"

#include "cli/message.h"
#include "cli/verb.h"

/* Posts what the machine wants to send.
 * Returns 0, or why the engine does not take it. */
static int post_all(struct mad_link *l, const struct mad_machine *m)
{
    struct weft_mad_send_req request;
    int err = 0;

    while (!err && m->poll(m->self, &request))
        err = weft_mad_post(l->engine, l->now, &request, NULL);
    return err;
}

/* Feeds the machine what has happened.
 * Returns whether anything has. */
static bool feed_all(struct mad_link *l, const struct mad_machine *m)
{
    struct weft_mad_event ev;
    bool any = false;

    while (weft_mad_poll_event(l->engine, &ev)) {
        any = true;
        m->event(m->self, &ev);
        if (ev.type == WEFT_MAD_EVENT_RECV)
            (void)weft_mad_recv_release(l->engine, ev.u.recv.id);
    }
    return any;
}

int mad_drive(struct mad_link *l, const struct mad_machine *m)
{
    int err;

    for (;;) {
        err = post_all(l, m);
        if (err)
            return message_failed("the MAD engine refuses a request: %s", weft_strerror(err));
        if (m->done(m->self))
            return CLI_DONE;
        if (l->ended)
            return message_failed("%s", mad_link_why_ended(l));
        mad_link_move(l);
        if (!feed_all(l, m))
            mad_link_wait(l, WEFT_TIME_NEVER);
    }
}
