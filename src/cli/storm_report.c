/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdio.h>
#include "cli/storm_show.h"
void storm_report_write(const struct storm_job *job, FILE *out)
{
    fprintf(out, "%s", job->topology);
}
