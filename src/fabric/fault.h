/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Faults in force: what is lost, delayed, repeated, corrupted or overtaken, and where.
 */
#ifndef WEFT_FABRIC_FAULT_H
#define WEFT_FABRIC_FAULT_H

#include "fabric/model.h"

/** @return 0 or WEFT_ERR_NOMEM */
int faults_new(struct fabric *f);
void faults_free(struct fabric *f);

/** What faults do to one packet on one link. */
struct fault_fate {
    bool lost, corrupt;
    uint8_t copies;  /* besides the packet itself: 0 or 1 */
    weft_time delay; /* besides the link's latency */
};

/** Whether any fault is in force: the hot path asks this first. */
bool faults_any(const struct fabric *f);

/** Decides over a packet that leaves a port for its cable: faults of the link, of the nodes at both
 * of its ends, and of the whole fabric.
 * @param from  the port it leaves by */
struct fault_fate fault_on_link(struct fabric *f, const struct port *from, const struct packet *p);

#endif
