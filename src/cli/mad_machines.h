/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The machines of src/client as mad_drive() takes them.
 */
#ifndef WEFT_CLI_MAD_MACHINES_H
#define WEFT_CLI_MAD_MACHINES_H

#include "cli/mad_drive.h"
#include "client/survey.h"

/** A sweep, to be driven. */
struct mad_machine mad_machine_sweep(struct weft_sweep *s);
/** Counters, to be driven. */
struct mad_machine mad_machine_counters(struct weft_counters *c);
/** A sweep and its counters, to be driven. */
struct mad_machine mad_machine_survey(struct survey *s);

#endif
