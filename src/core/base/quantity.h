/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Numbers with units as people write them, parsed strictly.
 */
#ifndef WEFT_CORE_BASE_QUANTITY_H
#define WEFT_CORE_BASE_QUANTITY_H

#include <weft/base.h>

/** Parses a count: decimal digits and nothing else, e.g. `324`.
 * @param text       what the user wrote
 * @param ret_count  the number, written only on success
 * @return false when the text is no count or does not fit */
bool quantity_parse_count(const char *text, uint64_t *ret_count);

/** Parses a duration: a decimal number and its unit, e.g. `4s`, `1.5ms`, `10us`, `250ns`, `2min`,
 * `24h`; `0` needs no unit. Parts of a nanosecond are refused.
 * @param text          what the user wrote
 * @param ret_duration  nanoseconds, written only on success
 * @return false when the text is no duration or does not fit */
bool quantity_parse_duration(const char *text, weft_time *ret_duration);

/** Parses a share of a whole: `0.25`, `25%`, `0`, `1`; at most six digits after the point of the
 * plain form, four of the percent form.
 * @param text            what the user wrote
 * @param ret_millionths  0..1000000, written only on success
 * @return false when the text is no share */
bool quantity_parse_share(const char *text, uint32_t *ret_millionths);

/** Parses a factor: `2`, `0.5`; at most three digits after the point.
 * @param text             what the user wrote
 * @param ret_thousandths  written only on success
 * @return false when the text is no factor or does not fit */
bool quantity_parse_factor(const char *text, uint64_t *ret_thousandths);

#endif
