/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A program's questions to the SA: asked at a port, waited for, and explained where no answer came.
 */
#ifndef WEFT_CLI_SA_SESSION_H
#define WEFT_CLI_SA_SESSION_H

#include "cli/sa_request.h"

#include <jansson.h>

/** A port and a client. Start from zeroes. */
struct sa_session {
    struct mad_link link;
    struct weft_sa *sa;
    weft_time look;                        /* when to ask the port again where the SM is */
    bool trusted;                          /* an SM_Key is known */
    bool explained[WEFT_SA_NO_MEMORY + 1]; /* outcomes that were explained for all questions */
};

/** An answer. */
struct sa_answer {
    struct weft_sa_result result; /**< its records are kept until sa_answers_clear() */
    uint8_t *records;
};

/** Opens the port, and finds an SM.
 * @param s  to be closed in any case
 * @return CLI_DONE; CLI_FAILED, with a message */
int sa_session_open(struct sa_session *s, const struct sa_request *request);

/** Closes it. */
void sa_session_close(struct sa_session *s);

/** Makes the question for a table of all records.
 * @param about  its place among the answers */
struct weft_sa_question sa_session_all(uint16_t attr_id, uint64_t about);

/** Asks, and waits for all answers.
 * @param questions  whose `about` is the place of their answer
 * @param ret        as many answers
 * @return CLI_DONE: each has an outcome; CLI_FAILED, with a message */
int sa_session_ask(struct sa_session *s, const struct weft_sa_question *questions, size_t count,
                   struct sa_answer *ret);

/** Goes on with what was put to the client itself: moves packets, follows the SM, and sleeps where
 * there is nothing to do. Then drain sa_session_poll() and the Reports.
 * @param until  sleeps no longer
 * @return CLI_DONE; CLI_FAILED, with a message */
int sa_session_turn(struct sa_session *s, weft_time until);

/** Takes the next result.
 * @param ret            the answer
 * @param ret_exit_code  CLI_FAILED, with a message, where there is no memory for it
 * @return false: there is none, or no memory */
bool sa_session_poll(struct sa_session *s, struct sa_answer *ret, int *ret_exit_code);

/** Frees answers. */
void sa_answers_clear(struct sa_answer *answers, size_t count);

/** A record of an answer, and how many bytes it has. */
const uint8_t *sa_answer_record(const struct sa_answer *a, uint32_t i);

/** Says why a question has no answer; what goes for all questions is said once. */
void sa_session_explain(struct sa_session *s, const struct sa_answer *a);

/** The document that all queries begin: schema, query, what was asked; NULL: no memory. */
json_t *sa_session_document(const struct sa_session *s, const char *query, bool complete);

/** A record as JSON; NULL: no memory.
 * @param kind    NULL: not known
 * @param record  of this many bytes */
json_t *sa_record_json(const struct sa_kind *kind, const uint8_t *record, uint32_t bytes);

/** All records of an answer as JSON; NULL: no memory. */
json_t *sa_records_json(const struct sa_answer *a);

#endif
