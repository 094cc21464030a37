/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Where a fabric's socket is when the command line does not say it.
 */
#ifndef WEFT_CLI_FABRIC_SOCKET_H
#define WEFT_CLI_FABRIC_SOCKET_H

/** The socket's path: what was given, else that in WEFT_FABRIC, else weft-fabric.sock in
 * XDG_RUNTIME_DIR, else /tmp/weft-fabric-UID.sock. One rule for serving, controlling and running.
 * @param given  from the command line; may be NULL
 * @return the path, to be freed; NULL when there is no memory, and then the message is out */
char *fabric_socket(const char *given);

#endif
