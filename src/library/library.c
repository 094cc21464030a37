/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared libraries that are loaded when they are needed. */
#include "library/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static_assert(sizeof(void *) == sizeof(void (*)(void)), "functions have pointers as data has");

static bool refuse(const struct library *l, char text[LIBRARY_TEXT_BYTES])
{
    const char *why = dlerror();

    (void)snprintf(text, LIBRARY_TEXT_BYTES,
                   "%s cannot be loaded; install Debian's package %s (the loader says: %s)",
                   l->file, l->package, why ? why : "nothing");
    return false;
}

bool library_load(const struct library *l, void *functions, char text[LIBRARY_TEXT_BYTES])
{
    void *handle = dlopen(l->file, RTLD_NOW | RTLD_LOCAL);
    void *symbol;

    if (!handle)
        return refuse(l, text);
    for (size_t i = 0; i < l->count; i++) {
        symbol = dlsym(handle, l->names[i]);
        if (!symbol) {
            (void)refuse(l, text);
            (void)dlclose(handle);
            return false;
        }
        /* to C it is data: it becomes a function by its bytes */
        memcpy((char *)functions + i * sizeof(symbol), &symbol, sizeof(symbol));
    }
    return true;
}
