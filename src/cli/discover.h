/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * `weft discover`: what it is asked for, what it has found, and how that is printed.
 */
#ifndef WEFT_CLI_DISCOVER_H
#define WEFT_CLI_DISCOVER_H

#include "cli/mad_place.h"
#include "cli/sweep_topo.h"

#include <jansson.h>

/** What is printed. */
enum discover_view {
    DISCOVER_TOPOLOGY,
    DISCOVER_LIST,   /**< nodes, perhaps of one type */
    DISCOVER_PORTS,  /**< a line a port */
    DISCOVER_ROUTES, /**< nodes with the route to each */
    DISCOVER_CHANGES /**< since an earlier topology */
};

/** What the command line says. */
struct discover_request {
    struct mad_place place;
    enum discover_view view;
    uint8_t type; /**< DISCOVER_LIST: enum weft_sweep_node_type; 0: all */
    bool show;    /**< before it, how each node was found */
    bool json;
    char *save;        /**< NULL: not said */
    char *since;       /**< NULL: not said */
    uint64_t window;   /**< 0: not said */
    weft_time timeout; /**< 0: not said */
};

/** What was found. */
struct discover {
    struct weft_sweep *sweep;
    struct topo *topo;
    struct topo *old; /**< NULL: there is nothing to compare with */
    struct topo_findings changes;
};

/** Writes the topology as ibnetdiscover does, comment at the top included.
 * @return false: the stream failed */
bool discover_write(const struct discover *d, FILE *out);

/** Prints nodes as `ibnetdiscover -l`.
 * @param type  enum weft_sweep_node_type; 0: all */
void discover_print_nodes(const struct discover *d, uint8_t type);

/** Prints ports as `ibnetdiscover -p`. */
void discover_print_ports(const struct discover *d);

/** Prints a line for each link that was crossed, and in which direction, as `ibnetdiscover -s` does
 * while it goes on. */
void discover_print_ways(const struct discover *d);

/** Prints nodes with routes. */
void discover_print_routes(const struct discover *d);

/** Prints what has changed. */
void discover_print_changes(const struct discover *d);

/** Prints all that was found, or all that has changed, as a document.
 * @return CLI_DONE; CLI_FAILED, with a message */
int discover_print_json(const struct discover *d);

/** Says on stderr who did not answer, what cannot be, and by which ways that was tried.
 * @return whether there was anything to say */
bool discover_complain(const struct discover *d);

/** The same as a list.
 * @return NULL without memory */
json_t *discover_troubles_to_json(const struct discover *d);

/** Space for a route as text. */
#define DISCOVER_ROUTE_BYTES (4 * (WEFT_DIRECTED_HOP_COUNT_MAX + 1))

/** A route as the diagnostics write it: 0,1,17. */
void discover_route_text(const struct weft_route *r, char ret[DISCOVER_ROUTE_BYTES]);

/** A node's name as in the topology: nothing in it that a terminal obeys. */
const char *discover_name(const struct discover *d, uint32_t node);

/** A type's word as in the topology: "Switch", "Ca", "Rt". */
const char *discover_type(uint8_t type);

#endif
