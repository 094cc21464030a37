/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One JSON document on standard output; write errors are found by main() when it flushes. */
#include "cli/json_print.h"

#include "cli/message.h"
#include "cli/verb.h"

#include <stdio.h>

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
