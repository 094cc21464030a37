/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * IsSM by file: a FIFO for each port, whose being open for reading sets the bit.
 */
#ifndef WEFT_HOST_ISSM_H
#define WEFT_HOST_ISSM_H

#include "host/serving.h"

/** FIFOs of one daemon; SERVER_ATTACHMENTS has room for them. */
#define ISSM_FIFOS_MAX 4096

/** Prepares the FIFOs' folder beside the socket; it is made when the first is asked for. What a
 * daemon that was killed has left there is removed.
 * @return 0 or WEFT_ERR_NOMEM */
int issm_new(struct server *s, struct issm **ret);

/** Closes all handles; the memory goes with issm_free(), when the loop has ended. */
void issm_close(struct issm *i);
void issm_free(struct issm *i);

/** Finds or makes the FIFO of a port.
 * @param ret    receives the path
 * @param error  why not
 * @return 0; WEFT_ERR_FULL: ISSM_FIFOS_MAX; WEFT_ERR_STATE: it cannot be made; WEFT_ERR_NOMEM */
int issm_path(struct issm *i, uint32_t node, uint8_t port, char ret[CHANNEL_PATH_BYTES],
              struct fabric_error *error);

#endif
