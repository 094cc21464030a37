/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The exporter's HTTP server, on libmicrohttpd. It has a thread of its own: who asks for metrics
 * waits there until the program's other thread has published them, or gets the last ones while they
 * are fresh.
 */
#ifndef WEFT_CLI_EXPORTER_HTTP_H
#define WEFT_CLI_EXPORTER_HTTP_H

#include "cli/metrics_pack.h"
#include "cli/metrics_text.h"

/** A server. */
struct exporter_http;

/** Begins to listen.
 * @param where  ADDRESS:PORT, [ADDRESS]:PORT
 * @return CLI_DONE; CLI_FAILED, with a message */
int exporter_http_open(const char *where, struct exporter_http **ret);

/** Whether a text is an address as exporter_http_open() wants it. */
bool exporter_http_is_address(const char *where);

/** The address that it listens at, with the port that it was given for port 0. */
const char *exporter_http_address(const struct exporter_http *h);

/** A descriptor that can be read when somebody waits. */
int exporter_http_fd(const struct exporter_http *h);

/** Which formats are waited for, a bit each: bit f is enum metrics_format f. */
unsigned exporter_http_wanted(struct exporter_http *h);

/** How often metrics were asked for. */
uint64_t exporter_http_scrapes(struct exporter_http *h);

/** Publishes metrics and answers those who wait for them.
 * @param p      their text, taken over; NULL: there is none, they get an error
 * @param until  by mad_link_clock(): up to then it is fresh */
void exporter_http_publish(struct exporter_http *h, enum metrics_format format,
                           struct metrics_pack *p, weft_time until);

/** Tells those who wait that there are no metrics yet. */
void exporter_http_refuse(struct exporter_http *h);

/** Answers who waits, and ends. NULL is fine.
 * @return NULL */
struct exporter_http *exporter_http_close(struct exporter_http *h);

#endif
