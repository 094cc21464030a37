/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The node to look from: said, from the environment, or the first host. */
#include "cli/look_from.h"

#include "channel/connect.h"
#include "channel/message.h"
#include "cli/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As it begins a line of `nodes`. */
#define GUID_CHARACTERS 18

/* The GUID of the first living channel adapter among lines such as
 * `0x0002c90300000001 ca ports 1 alive "host-1"`. */
static char *first_host(const char *lines)
{
    for (const char *line = lines; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        size_t words = strcspn(line, "\"\n"); /* before a name, which may say anything */

        if (length > GUID_CHARACTERS && strncmp(line + GUID_CHARACTERS, " ca ", 4) == 0 &&
            memmem(line, words, " alive ", 7))
            return strndup(line, GUID_CHARACTERS);
        line += length;
        line += *line == '\n';
    }
    return NULL;
}

/* The number of the next page, in a last line such as `... 512`; NULL: this was the last. */
static const char *next_page(const char *lines)
{
    const char *last = strstr(lines, "\n... ");

    return last ? last + strlen("\n... ") : NULL;
}

static char *ask_for_host(const char *socket)
{
    struct message_text *m = malloc(sizeof(*m));
    char text[CHANNEL_TEXT_BYTES] = "there is no memory to ask the fabric for its hosts";
    char command[64] = "nodes";
    char *found = NULL;
    const char *next = command;
    struct channel c;
    int err = m ? channel_connect(socket, CHANNEL_ROLE_CONTROL, "", 0, &c, text) : WEFT_ERR_NOMEM;

    if (err) {
        message_failed("%s", text);
        free(m);
        return NULL;
    }
    while (!err && !found && next) {
        err = channel_ask(&c, m, message_make_text(m, MESSAGE_COMMAND, command), MESSAGE_TEXT, m,
                          sizeof(*m), NULL, text);
        found = err ? NULL : first_host(m->text);
        next = err ? NULL : next_page(m->text);
        if (next)
            (void)snprintf(command, sizeof(command), "nodes from %.*s", (int)strcspn(next, "\n"),
                           next);
    }
    channel_close(&c);
    free(m);
    if (err)
        message_failed("%s", text);
    else if (!found)
        message_failed("no host of the fabric lives; --node NAME may be a switch, too");
    return found;
}

char *look_from(const char *given, const char *socket)
{
    char *copy;

    if (!given) {
        given = getenv("WEFT_NODE");
        if (!given || given[0] == '\0')
            return ask_for_host(socket);
    }
    copy = strdup(given);
    if (!copy)
        message_failed("no memory for the name of the node");
    return copy;
}
