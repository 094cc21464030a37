/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Audit: what must be true of a port between any two calls. Simulations run it after every step.
 */
#ifndef WEFT_CORE_MAD_AUDIT_H
#define WEFT_CORE_MAD_AUDIT_H

#include <weft/mad.h>

/** Recounts everything and compares; costs time in proportion to the slots ever used.
 * @return NULL, or the rule that is broken */
const char *mad_audit(const struct weft_mad_port *p);

#endif
