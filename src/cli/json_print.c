/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One JSON document on standard output; write errors are found by main() when it flushes. */
#include "cli/json_print.h"

#include "cli/message.h"
#include "cli/verb.h"

#include <stdio.h>
#include <stdlib.h>

int json_print(json_t *root)
{
    int dumped;

    if (!root)
        return message_failed("no memory for the JSON document");
    dumped = json_dumpf(root, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    json_decref(root);
    if (dumped != 0 && ferror(stdout) == 0)
        return message_failed("no memory for the JSON document");
    putchar('\n');
    return CLI_DONE;
}

/* In one piece: jansson would go to the stream for each word. */
bool json_print_item(json_t *item, bool first, FILE *out)
{
    char *text = json_dumps(item, JSON_PRESERVE_ORDER);
    bool written = text && fprintf(out, "%s\n  %s", first ? "" : ",", text) > 0;

    free(text);
    json_decref(item);
    return written;
}
