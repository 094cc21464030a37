/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Numbers with units as people write them: printed shortly here, parsed by the base.
 */
#ifndef WEFT_CLI_QUANTITY_H
#define WEFT_CLI_QUANTITY_H

#include "core/base/quantity.h"

/** Space for any text that quantity_print_duration() makes. */
#define QUANTITY_TEXT_BYTES 32

/** Prints a factor as quantity_parse_factor() reads it.
 * @param thousandths  the factor
 * @param ret_text     the text */
void quantity_print_factor(uint64_t thousandths, char ret_text[QUANTITY_TEXT_BYTES]);

/** Prints a duration with three significant digits or more and the largest fitting unit: `4.51 s`.
 * @param duration_ns  nanoseconds
 * @param ret_text     the text */
void quantity_print_duration(weft_time duration_ns, char ret_text[QUANTITY_TEXT_BYTES]);

#endif
