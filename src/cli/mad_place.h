/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * At which port a verb sends its MADs: one of an adapter, or one of a simulated fabric. The same
 * four options for all such verbs.
 *
 * A verb puts MAD_PLACE_OPTIONS into its table, hands each option to mad_place_take(), calls
 * mad_place_check() when all are read, and in the end mad_place_clear().
 */
#ifndef WEFT_CLI_MAD_PLACE_H
#define WEFT_CLI_MAD_PLACE_H

#include "cli/options.h"
#include "host/mad_link.h"

/** Their `val`s, beyond those of the verbs. */
enum mad_place_option {
    MAD_PLACE_FABRIC = 0x1000,
    MAD_PLACE_NODE,
    MAD_PLACE_CA,
    MAD_PLACE_PORT
};

/** One of them. */
#define MAD_PLACE_ROW(name, value, text, word)                                                     \
    {                                                                                              \
        name, '\0', POPT_ARG_STRING, NULL, value, text, word                                       \
    }

/** The rows of a table of options. */
#define MAD_PLACE_OPTIONS                                                                          \
    MAD_PLACE_ROW("ca", MAD_PLACE_CA, "look from this adapter (default: see the manual page)",     \
                  "NAME"),                                                                         \
        MAD_PLACE_ROW("port", MAD_PLACE_PORT,                                                      \
                      "use this port of it (default: the first that is active)", "N"),             \
        MAD_PLACE_ROW("fabric", MAD_PLACE_FABRIC, "look at the simulated fabric with this socket", \
                      "SOCKET"),                                                                   \
        MAD_PLACE_ROW("node", MAD_PLACE_NODE,                                                      \
                      "look from this node of it (default: the first host)", "NAME|GUID")

/** What the command line says. Start from zeroes. */
struct mad_place {
    char *fabric;  /**< socket; NULL: not said */
    char *node;    /**< NULL: not said */
    char *ca;      /**< NULL: not said */
    uint64_t port; /**< 0: not said */
};

/** Keeps the current option if it is one of these.
 * @param option  what options_next() has returned
 * @return whether it is */
bool mad_place_take(struct mad_place *p, struct options *o, int option);

/** Refuses what does not go together. */
void mad_place_check(const struct mad_place *p, struct options *o);

/** Whether any of the four was given. */
bool mad_place_given(const struct mad_place *p);

/** Opens the port. Where the command line does not say it, that is the fabric whose daemon the
 * environment names or whose usual socket is there, else the first active InfiniBand port of this
 * machine. What is passed over is said on stderr.
 * @param c    the engine's; NULL: the defaults
 * @param ret  to be closed by mad_link_close() (also where this has failed: it has no engine then)
 * @return CLI_DONE; CLI_FAILED, with a message */
int mad_place_open(const struct mad_place *p, const struct weft_mad_config *c,
                   struct mad_link *ret);

/** Registers an agent.
 * @return CLI_DONE; CLI_FAILED, with a message */
int mad_place_agent(struct mad_link *l, const struct weft_mad_agent_req *r, weft_mad_agent_id *ret);

/** Looks up which index of the port's P_Key table requests to general services go by.
 * @return CLI_DONE; CLI_FAILED, with a message: the port is no member of the default partition */
int mad_place_pkey(const struct mad_link *l, uint16_t *ret);

/** Frees what was read. */
void mad_place_clear(struct mad_place *p);

#endif
