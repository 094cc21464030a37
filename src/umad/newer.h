/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What later releases of libibumad declare beyond Debian's header.
 */
#ifndef WEFT_UMAD_NEWER_H
#define WEFT_UMAD_NEWER_H

#include <infiniband/umad.h>

#ifndef UMAD_HEADER_HAS_PAIRS
/** A channel adapter's devices for subnet management and for general services. */
struct umad_ca_pair {
    char smi_name[UMAD_CA_NAME_LEN];
    uint32_t smi_preferred_port;
    char gsi_name[UMAD_CA_NAME_LEN];
    uint32_t gsi_preferred_port;
};

int umad_open_smi_port(const char *ca_name, int portnum);
int umad_get_smi_gsi_pairs(struct umad_ca_pair cas[], size_t max);
int umad_get_smi_gsi_pair_by_ca_name(const char *devname, uint8_t portnum, struct umad_ca_pair *ca);
#endif

#endif
