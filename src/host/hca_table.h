/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Tables as ibsim delivers them. A program beside a kernel leaves RMPP to it, and gives it a table
 * of any length with nothing but the Active flag in the header. ibsim has no RMPP: it carries the
 * first 256 bytes as they are.
 */
#ifndef WEFT_HOST_HCA_TABLE_H
#define WEFT_HOST_HCA_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Whether a MAD is such a beginning of a table: on a wire there is none without a version. */
bool hca_table_is_bare(const uint8_t *mad);

/** Makes of it what a sender with RMPP sends: the only segment of a table. Where there is no
 * telling how much has been cut off, it becomes a refusal: too many records.
 * @param mad     WEFT_MAD_BYTES of it
 * @param length  as it has come: below WEFT_MAD_BYTES it is all there is */
void hca_table_finish(uint8_t *mad, size_t length);

/** Whether a MAD is for an RMPP sender, as an acknowledgement is; beyond ibsim is none. */
bool hca_table_is_reply(const uint8_t *mad);

#endif
