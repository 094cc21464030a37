/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What the command line of `weft fabric` asks for.
 */
#ifndef WEFT_CLI_FABRIC_REQUEST_H
#define WEFT_CLI_FABRIC_REQUEST_H

#include "fabric/fabric.h"
#include "host/server.h"

/** A fabric to serve. */
struct fabric_request {
    char *topology;
    char *listen; /**< the socket; NULL: the usual one */
    char *script;
    char *pcap;
    char *pid_file;
    bool daemon;
    bool stopped; /**< nothing is to be done: help or a message is out */
    struct fabric_config fabric;
    struct server_options server; /* socket_path and pcap are set when they are opened */
};

/** Reads the command line.
 * @param argc  as given to the verb
 * @param argv  as given to the verb
 * @param ret   filled in any case, for fabric_request_free()
 * @return the verb's exit code when ret->stopped, else CLI_DONE */
int fabric_request_parse(int argc, const char **argv, struct fabric_request *ret);

/** Frees what it holds. */
void fabric_request_free(struct fabric_request *r);

#endif
