/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Numbers of scenarios and policies as people write them: key=value, and name,key=value...
 */
#ifndef WEFT_CLI_STORM_PARAMS_H
#define WEFT_CLI_STORM_PARAMS_H

#include "storm/field.h"
#include "storm/policy.h"

#include <stdbool.h>

/** Space for a value as text. */
#define STORM_VALUE_BYTES 64
/** Space for a message; longer ones are cut. */
#define STORM_WHY_BYTES   1024

/** Sets one field from text.
 * @param table  the fields
 * @param of     the structure they belong to
 * @param key    which
 * @param text   its value: a count, a duration with its unit, a share, or a word
 * @param why    what is wrong, without the text itself and a full stop; written only on failure
 * @return whether it was set */
bool storm_params_set(const struct storm_field *table, void *of, const char *key, const char *text,
                      char why[STORM_WHY_BYTES]);

/** Sets one field from `key=value`. As storm_params_set(). */
bool storm_params_assign(const struct storm_field *table, void *of, const char *assignment,
                         char why[STORM_WHY_BYTES]);

/** Reads a policy: `name` or `name,key=value,...`.
 * @param text  what the user wrote
 * @param ret   the policy; undefined on failure
 * @param why   as storm_params_set()
 * @return whether it is one */
bool storm_params_policy(const char *text, struct storm_policy *ret, char why[STORM_WHY_BYTES]);

/** Writes a field's value as it would be set. */
void storm_params_show(const struct storm_field *f, const void *of, char ret[STORM_VALUE_BYTES]);

#endif
