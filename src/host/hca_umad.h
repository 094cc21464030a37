/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * libibumad, which only programs at an adapter load.
 */
#ifndef WEFT_HOST_HCA_UMAD_H
#define WEFT_HOST_HCA_UMAD_H

#include "library/library.h"

#include <infiniband/umad.h>

/** What is used of it: F(name) for each function. */
#define HCA_UMAD_FUNCTIONS(F)                                                                      \
    F(umad_close_port)                                                                             \
    F(umad_get_ca)                                                                                 \
    F(umad_get_cas_names)                                                                          \
    F(umad_get_fd)                                                                                 \
    F(umad_get_mad)                                                                                \
    F(umad_get_mad_addr)                                                                           \
    F(umad_get_pkey)                                                                               \
    F(umad_get_port)                                                                               \
    F(umad_init)                                                                                   \
    F(umad_open_port)                                                                              \
    F(umad_poll)                                                                                   \
    F(umad_recv)                                                                                   \
    F(umad_register)                                                                               \
    F(umad_register2)                                                                              \
    F(umad_register_oui)                                                                           \
    F(umad_release_ca)                                                                             \
    F(umad_release_port)                                                                           \
    F(umad_send)                                                                                   \
    F(umad_set_pkey)                                                                               \
    F(umad_size)                                                                                   \
    F(umad_status)                                                                                 \
    F(umad_unregister)

/** Its functions. */
struct hca_umad {
    HCA_UMAD_FUNCTIONS(LIBRARY_POINTER)
};

/** Filled in by hca_umad_load(). */
extern struct hca_umad libumad;

/** Loads it, unless it has been.
 * @param text  why not: a sentence that says what to do
 * @return whether libumad can be used */
bool hca_umad_load(char text[LIBRARY_TEXT_BYTES]);

#endif
