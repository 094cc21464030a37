/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The device file behind a port, for messages.
 */
#ifndef WEFT_HOST_HCA_DEVICE_H
#define WEFT_HOST_HCA_DEVICE_H

#include <stdint.h>

/** Room for its path. */
#define HCA_PATH_BYTES 64

/** Finds it, for example "/dev/infiniband/umad3"; "/dev/infiniband/umad*" where sysfs does not tell
 * its number. */
void hca_device_path(const char *ca, uint8_t number, char ret[HCA_PATH_BYTES]);

#endif
