/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `weft sa raw`: any attribute with any component mask. */
#include "cli/json_print.h"
#include "cli/message.h"
#include "cli/sa_session.h"
#include "cli/verb.h"

#include <stdio.h>
#include <stdlib.h>

static int print_header(enum weft_wire_header header, const uint8_t *at, size_t bytes)
{
    size_t length = weft_wire_text(header, at, bytes, NULL, 0);
    char *text = malloc(length + 1);

    if (!text)
        return message_failed("there is no memory for a record");
    (void)weft_wire_text(header, at, bytes, text, length + 1);
    (void)fputs(text, stdout);
    free(text);
    return CLI_DONE;
}

static int print_record(const struct sa_kind *kind, const uint8_t *record, uint32_t bytes)
{
    int exit_code;

    if (!kind || kind->header == SA_NO_HEADER) {
        for (uint32_t i = 0; i < bytes; i++)
            printf("%02x%s", record[i], i % 32 == 31 || i + 1 == bytes ? "\n" : "");
        return CLI_DONE;
    }
    exit_code = print_header(kind->header, record, bytes);
    if (exit_code == CLI_DONE && kind->inner != SA_NO_HEADER && bytes > kind->inner_at)
        exit_code = print_header(kind->inner, record + kind->inner_at, bytes - kind->inner_at);
    return exit_code;
}

static int print_text(const struct sa_request *request, const struct sa_answer *a)
{
    int exit_code = CLI_DONE;

    for (uint32_t i = 0; exit_code == CLI_DONE && i < a->result.count; i++) {
        if (i > 0)
            putchar('\n');
        exit_code = print_record(request->kind, sa_answer_record(a, i), a->result.stride);
    }
    if (a->result.count == 0)
        message("no record matches");
    return exit_code;
}

static int print_json(const struct sa_session *s, const struct sa_answer *a)
{
    json_t *root = sa_session_document(s, "raw", true);

    if (root && json_object_set_new(root, "records", sa_records_json(a)) != 0) {
        json_decref(root);
        root = NULL;
    }
    return json_print(root);
}

int sa_action_raw(const struct sa_request *request)
{
    struct sa_session s = {.sa = NULL};
    struct sa_answer a = {.records = NULL};
    int exit_code = sa_session_open(&s, request);

    if (exit_code == CLI_DONE)
        exit_code = sa_session_ask(&s, &request->question, 1, &a);
    if (exit_code == CLI_DONE && a.result.outcome != WEFT_SA_ANSWERED) {
        sa_session_explain(&s, &a);
        exit_code = CLI_FAILED;
    }
    if (exit_code == CLI_DONE)
        exit_code = request->json ? print_json(&s, &a) : print_text(request, &a);
    sa_answers_clear(&a, 1);
    sa_session_close(&s);
    return exit_code;
}
