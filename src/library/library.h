/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Libraries that few runs of a program need: loaded by those, so that the others start without.
 *
 * Whoever uses one lists the functions once, and calls them through pointers whose types are those
 * of the library's own header:
 *
 *     #define FUNCTIONS(F) F(pcap_close) F(pcap_geterr)
 *     static const char *const names[] = {FUNCTIONS(LIBRARY_NAME)};
 *     static struct { FUNCTIONS(LIBRARY_POINTER) } libpcap;
 *     LIBRARY_CHECK(libpcap, names);
 *
 *     static const struct library library = {"libpcap.so.0.8", "libpcap0.8", names, 2};
 *
 *     if (library_load(&library, &libpcap, text))
 *         libpcap.pcap_close(...);
 */
#ifndef WEFT_LIBRARY_LIBRARY_H
#define WEFT_LIBRARY_LIBRARY_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

/** Room for why not. */
#define LIBRARY_TEXT_BYTES 240

/** A function's pointer in a struct, and its name in a list. */
#define LIBRARY_POINTER(name) __typeof__(name) *(name);
#define LIBRARY_NAME(name)    #name,

/** A struct of pointers has one for each name. */
#define LIBRARY_CHECK(functions, names)                                                            \
    static_assert(sizeof(functions) == sizeof(names), "a pointer for each name")

/** A library, and what is used of it. */
struct library {
    const char *file;         /**< as the loader looks for it, such as "libpcap.so.0.8" */
    const char *package;      /**< Debian's package that has it */
    const char *const *names; /**< of the functions */
    size_t count;
};

/** Loads a library, for as long as the program runs.
 * @param functions  receives the pointers, in the order of the names
 * @param text       why not: a sentence that names the library and the package
 * @return whether all of it is there */
bool library_load(const struct library *l, void *functions, char text[LIBRARY_TEXT_BYTES]);

#endif
