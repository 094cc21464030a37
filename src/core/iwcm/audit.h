/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Audit: what must be true of a connection manager between any two calls. Explorations and fuzz
 * targets run it after every step.
 */
#ifndef WEFT_CORE_IWCM_AUDIT_H
#define WEFT_CORE_IWCM_AUDIT_H

#include <weft/iwcm.h>

/** Recounts everything and compares; costs time in proportion to the slots ever used.
 * @return NULL, or the rule that is broken */
const char *iwcm_audit(const struct weft_iwcm *cm);

#endif
