/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Runs a fuzz target as an ordinary test: every file of the folders given as arguments goes through
 * it once. Prints TAP, one line a file; a file that breaks the target ends the program. */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Gives the file's bytes in a block of just their size, so that a sanitizer sees reads beyond. */
static uint8_t *read_file(const char *path, size_t *ret_size)
{
    FILE *in = fopen(path, "rb");
    uint8_t *bytes = NULL;
    long size = -1;

    if (in && fseek(in, 0, SEEK_END) == 0)
        size = ftell(in);
    if (size >= 0 && fseek(in, 0, SEEK_SET) == 0)
        bytes = malloc(size > 0 ? (size_t)size : 1);
    if (bytes && fread(bytes, 1, (size_t)size, in) != (size_t)size) {
        free(bytes);
        bytes = NULL;
    }
    if (in)
        fclose(in);
    if (bytes)
        *ret_size = (size_t)size;
    return bytes;
}

static bool replay(const char *folder, const char *name)
{
    char path[4096];
    uint8_t *bytes;
    size_t size = 0;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    bytes = read_file(path, &size);
    if (!bytes) {
        printf("# cannot read %s: %s\n", path, strerror(errno));
        return false;
    }
    /* Should the target end the program, the last line tells which file did it. */
    printf("# %s\n", path);
    fflush(stdout);
    (void)LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    return true;
}

int main(int argc, char **argv)
{
    int number = 0;
    bool all_good = argc > 1;

    for (int i = 1; i < argc; i++) {
        struct dirent **entries = NULL;
        int count = scandir(argv[i], &entries, is_visible, alphasort);

        if (count <= 0) {
            printf("not ok %d - %s has no files\n", ++number, argv[i]);
            all_good = false;
        }
        for (int e = 0; e < count; e++) {
            bool good = replay(argv[i], entries[e]->d_name);

            printf("%sok %d - %s\n", good ? "" : "not ", ++number, entries[e]->d_name);
            all_good = all_good && good;
            free(entries[e]);
        }
        free(entries);
    }
    printf("1..%d\n", number);
    return all_good ? 0 : 1;
}
