/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * `weft fabric ctl`: asks and changes a fabric that is served.
 */
#ifndef WEFT_CLI_FABRIC_CTL_H
#define WEFT_CLI_FABRIC_CTL_H

/** Runs it.
 * @param argc  with argv[0] = "ctl"
 * @param argv  closed by NULL
 * @return one of enum cli_exit */
int fabric_ctl(int argc, const char **argv);

#endif
