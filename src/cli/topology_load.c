/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From a topology's name to the topology, with the messages that people get instead. */
#include "cli/topology_load.h"

#include "cli/message.h"
#include "cli/verb.h"

#include <inttypes.h>
#include <string.h>

const char *topology_shown_name(const char *spec)
{
    return strcmp(spec, "-") == 0 ? "standard input" : spec;
}

int topology_load(const char *spec, struct topo **ret)
{
    struct topo_error error;
    int err = topo_load_spec(spec, ret, &error);

    if (err == 0)
        return CLI_DONE;
    if (err == WEFT_ERR_INVALID) {
        /* The text says what to try. */
        message("%s", error.text);
        return CLI_USAGE;
    }
    if (error.line != 0)
        return message_failed("%s:%" PRIu32 ": %s", topology_shown_name(spec), error.line,
                              error.text);
    message("%s: %s", topology_shown_name(spec), error.text);
    if (err == WEFT_ERR_NOTFOUND)
        message_try("the name of a file that ibnetdiscover has printed, or a generator such as "
                    "fat-tree:hosts=324,radix=36");
    return CLI_FAILED;
}
