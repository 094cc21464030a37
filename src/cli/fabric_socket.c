/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The path of a fabric's socket: said, from the environment, or the usual one. */
#include "cli/fabric_socket.h"

#include "cli/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Of an environment variable that is empty nobody means the value. */
static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value && value[0] != '\0' ? value : NULL;
}

char *fabric_socket(const char *given)
{
    const char *folder = variable("XDG_RUNTIME_DIR");
    char *path = NULL;
    int length;

    if (!given)
        given = variable("WEFT_FABRIC");
    if (given)
        length = asprintf(&path, "%s", given);
    else if (folder)
        length = asprintf(&path, "%s/weft-fabric.sock", folder);
    else
        length = asprintf(&path, "/tmp/weft-fabric-%u.sock", (unsigned)getuid());
    if (length < 0) {
        message_failed("no memory for the name of the socket");
        return NULL;
    }
    return path;
}
