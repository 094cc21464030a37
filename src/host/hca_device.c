/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which umad device sysfs has for a port. */
#include "host/hca_device.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define SYSFS_FOLDER "/sys/class/infiniband_mad"

/* Whether the first line of a device's file is this one. */
static bool file_says(const char *device, const char *name, const char *want)
{
    char path[sizeof(SYSFS_FOLDER) + 300], line[64] = "";
    FILE *f;

    (void)snprintf(path, sizeof(path), "%s/%s/%s", SYSFS_FOLDER, device, name);
    f = fopen(path, "re");
    if (!f)
        return false;
    if (!fgets(line, sizeof(line), f))
        line[0] = '\0';
    (void)fclose(f);
    line[strcspn(line, "\n")] = '\0';
    return strcmp(line, want) == 0;
}

void hca_device_path(const char *ca, uint8_t number, char ret[HCA_PATH_BYTES])
{
    DIR *folder = opendir(SYSFS_FOLDER);
    const struct dirent *entry;
    char port[4];

    (void)snprintf(port, sizeof(port), "%u", number);
    (void)snprintf(ret, HCA_PATH_BYTES, "/dev/infiniband/umad*");
    while (folder && (entry = readdir(folder))) {
        if (strncmp(entry->d_name, "umad", 4) == 0 && strlen(entry->d_name) < 16 &&
            file_says(entry->d_name, "ibdev", ca) && file_says(entry->d_name, "port", port))
            (void)snprintf(ret, HCA_PATH_BYTES, "/dev/infiniband/%.16s", entry->d_name);
    }
    if (folder)
        (void)closedir(folder);
}
