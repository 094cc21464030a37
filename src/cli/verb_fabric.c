/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* weft fabric: serves a simulated fabric, or asks and changes one that is served. */
#include "cli/fabric_ctl.h"
#include "cli/fabric_request.h"
#include "cli/fabric_serve.h"
#include "cli/verb.h"

#include <string.h>

int verb_fabric(int argc, const char **argv)
{
    struct fabric_request request;
    int exit_code;

    if (argc > 1 && strcmp(argv[1], "ctl") == 0)
        return fabric_ctl(argc - 1, argv + 1);
    exit_code = fabric_request_parse(argc, argv, &request);
    if (!request.stopped)
        exit_code = fabric_serve(&request);
    fabric_request_free(&request);
    return exit_code;
}
