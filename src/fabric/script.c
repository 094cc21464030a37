/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Scripts: lines wait in a timer queue for their time. */
#include "fabric/script.h"

#include <stdio.h>

int script_new(struct fabric *f)
{
    (void)f;
    return 0;
}

void script_free(struct fabric *f)
{
    (void)f;
}

void script_due(struct fabric *f)
{
    (void)f;
}

int fabric_command(struct fabric *f, weft_time now, const char *line, struct fabric_error *error)
{
    (void)f;
    (void)now;
    snprintf(error->text, sizeof(error->text), "\"%.40s\" is no command", line);
    return WEFT_ERR_FORMAT;
}

int fabric_script(struct fabric *f, weft_time now, const char *text, size_t bytes,
                  uint32_t *ret_line, struct fabric_error *error)
{
    (void)text;
    if (bytes == 0)
        return 0;
    *ret_line = 1;
    return fabric_command(f, now, "", error);
}

size_t fabric_faults_text(const struct fabric *f, char *text, size_t bytes)
{
    (void)f;
    if (bytes > 0)
        text[0] = '\0';
    return 0;
}
