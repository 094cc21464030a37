/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The heap of a program that holds a whole fabric for a moment.
 */
#ifndef WEFT_CLI_HEAP_H
#define WEFT_CLI_HEAP_H

/** Lets the heap begin with a large step on large pages, where the C library and the kernel know
 * how: a fabric of ten thousand nodes is some ten megabytes, of which every 4 KiB would cost a page
 * fault, and all faults together more than the sweep's arithmetic. Where address space is limited
 * it grows as any other. To be called once, early, by verbs that read a fabric and end; not by
 * daemons, since what is freed stays with the program. */
void heap_for_fabric(void);

#endif
