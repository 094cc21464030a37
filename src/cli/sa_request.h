/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What the command line of `weft sa` asks for, and what it can do, each in a file of its own.
 */
#ifndef WEFT_CLI_SA_REQUEST_H
#define WEFT_CLI_SA_REQUEST_H

#include "cli/mad_place.h"
#include "client/sa_records.h"

#include <weft/sa.h>

/** A request. */
struct sa_request {
    const struct mad_place *place;
    bool json;
    weft_time timeout; /**< 0: the defaults */
    weft_time wait;    /**< how long there may be no SM at first */
    uint64_t sm_key;
    bool reports;                     /**< Reports are received */
    uint16_t trap;                    /**< watch: which; WEFT_SA_ANY_TRAP: all */
    uint64_t count;                   /**< watch: end after so many Reports; 0: do not */
    weft_time duration;               /**< watch: end after this time; 0: do not */
    const char *from, *to;            /**< path */
    struct weft_sa_question question; /**< raw: all but `about` */
    const struct sa_kind *kind;       /**< raw; NULL: an attribute without a name */
};

/** Prints all nodes. @return one of enum cli_exit */
int sa_action_nodes(const struct sa_request *request);
/** Prints all cables. @return one of enum cli_exit */
int sa_action_links(const struct sa_request *request);
/** Prints multicast groups. @return one of enum cli_exit */
int sa_action_groups(const struct sa_request *request);
/** Prints services. @return one of enum cli_exit */
int sa_action_services(const struct sa_request *request);
/** Explains a path. @return one of enum cli_exit */
int sa_action_path(const struct sa_request *request);
/** Asks what the command line says. @return one of enum cli_exit */
int sa_action_raw(const struct sa_request *request);

/** Prints Reports as they come. @return one of enum cli_exit */
int sa_action_watch(const struct sa_request *request);

/** Puts `name=value` into a record, and its component into the mask.
 * @param text  of the command line
 * @return NULL; else what is wrong, in words that follow `--field TEXT: ` */
const char *sa_field_set(const struct sa_kind *kind, const char *text,
                         uint8_t record[WEFT_SA_RECORD_BYTES], uint64_t *mask);

#endif
