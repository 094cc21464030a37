/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * From which node a verb looks at a fabric when the command line does not say it.
 */
#ifndef WEFT_CLI_LOOK_FROM_H
#define WEFT_CLI_LOOK_FROM_H

#include <stddef.h>

/** The node: what was given, else that in WEFT_NODE, else the first host of the fabric that lives.
 * @param given   from the command line; may be NULL
 * @param socket  the daemon's socket, to ask for its hosts
 * @return the node, to be freed; NULL when there is none, and then the message is out */
char *look_from(const char *given, const char *socket);

#endif
