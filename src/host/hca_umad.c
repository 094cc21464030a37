/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* libibumad, loaded: the system's, or the one that comes first where the loader looks. */
#include "host/hca_umad.h"

static const char *const names[] = {HCA_UMAD_FUNCTIONS(LIBRARY_NAME)};
LIBRARY_CHECK(struct hca_umad, names);

static const struct library library = {"libibumad.so.3", "libibumad3", names,
                                       sizeof(names) / sizeof(names[0])};

struct hca_umad libumad;

bool hca_umad_load(char text[LIBRARY_TEXT_BYTES])
{
    static bool loaded;

    loaded = loaded || library_load(&library, &libumad, text);
    return loaded;
}
