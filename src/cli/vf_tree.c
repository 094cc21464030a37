/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads mlx4's folder `iov` of each device: iov/ports/PORT/pkeys/INDEX has the physical table,
 * iov/FUNCTION/ports/PORT/pkey_idx/INDEX what an entry of a function's table stands for. */
#include "cli/vf_tree.h"

#include "findings/list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files hold a number or a word. */
#define VALUE_BYTES 64

/* Ports of a device at most. */
#define VF_PORTS_MAX 254

/* The names in a folder, sorted. */
struct names {
    struct dirent **items;
    int count;
};

void vf_problem_add(struct vf_tree *t, const struct vf_problem *where, const char *format, ...)
{
    struct vf_problem *grown =
        findings_grow(t->problems, t->problem_count, &t->problem_space, sizeof(*t->problems));
    va_list args;
    char *text;
    int length;

    if (!grown) {
        t->failed = true;
        return;
    }
    t->problems = grown;
    va_start(args, format);
    length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0) {
        t->failed = true;
        return;
    }
    t->problems[t->problem_count] = *where;
    t->problems[t->problem_count++].text = text;
}

const char *vf_kind_name(enum vf_kind kind)
{
    static const char *const names[VF_KINDS] = {
        [VF_UNREADABLE] = "unreadable",   [VF_OUT_OF_RANGE] = "out-of-range",
        [VF_UNASSIGNED_0] = "no-entry-0", [VF_EMPTY_ENTRY] = "empty-entry",
        [VF_BOTH_FORMS] = "both-forms",   [VF_DUPLICATE] = "duplicate",
        [VF_NOBODY_FULL] = "nobody-full",
    };

    return names[kind];
}

static int not_hidden(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Numbers by value, other names as people sort them. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strverscmp((*a)->d_name, (*b)->d_name);
}

static int list(const char *path, struct names *ret)
{
    ret->count = scandir(path, &ret->items, not_hidden, by_name);
    return ret->count < 0 ? WEFT_ERR_NOTFOUND : 0;
}

static void names_free(struct names *names)
{
    for (int i = 0; i < names->count; i++)
        free(names->items[i]);
    if (names->count >= 0)
        free(names->items);
}

static bool join(char ret[PATH_MAX], const char *folder, const char *name)
{
    int length = snprintf(ret, PATH_MAX, "%s/%s", folder, name);

    return length > 0 && length < PATH_MAX;
}

static bool is_folder(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* A file's text without the blanks at its end. */
static bool read_value(const char *path, char ret[VALUE_BYTES])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t got = fd < 0 ? -1 : read(fd, ret, VALUE_BYTES - 1);
    int kept = errno;
    char *zero;

    if (fd >= 0)
        close(fd);
    errno = kept;
    if (got < 0)
        return false;
    if (got > 0 && ret[got - 1] == '\n')
        got--;
    ret[got] = '\0';
    /* A 0 byte is shown, and what is behind it is not: no value has one. */
    zero = memchr(ret, '\0', (size_t)got);
    if (zero)
        memcpy(zero < ret + VALUE_BYTES - 3 ? zero : ret + VALUE_BYTES - 3, "\\0", 3);
    return true;
}

/* A decimal number below VF_LIST_MAX as the kernel prints it: without zeros before it. */
static bool number_of(const char *text, uint32_t *ret)
{
    size_t length = strlen(text);

    if (length == 0 || length > 5 || text[strspn(text, "0123456789")] != '\0' ||
        (text[0] == '0' && length > 1))
        return false;
    *ret = (uint32_t)strtoul(text, NULL, 10);
    return *ret < VF_LIST_MAX;
}

/* A P_Key as the kernel prints it: 0x and four digits. */
static bool key_of(const char *text, weft_pkey *ret)
{
    if (strlen(text) != 6 || strncmp(text, "0x", 2) != 0 ||
        text[2 + strspn(text + 2, "0123456789abcdefABCDEF")] != '\0')
        return false;
    *ret = (weft_pkey)strtoul(text + 2, NULL, 16);
    return true;
}

/* The number that a file's or folder's name is. What looks like one and is none is reported; other
 * names mean nothing. */
static bool take_number(struct vf_tree *t, const struct vf_problem *where, const char *folder,
                        const char *name, uint32_t *ret)
{
    if (name[0] < '0' || name[0] > '9')
        return false;
    if (number_of(name, ret))
        return true;
    vf_problem_add(t, where, "%s/%s: expected a name such as 0 or 12, to %d", folder, name,
                   VF_LIST_MAX - 1);
    return false;
}

/* The same for a port. */
static bool take_port(struct vf_tree *t, const struct vf_problem *where, const char *folder,
                      const char *name)
{
    uint32_t number;

    if (number_of(name, &number) && number >= 1 && number <= VF_PORTS_MAX)
        return true;
    vf_problem_add(t, where, "%s/%s is no port: expected 1 to %d", folder, name, VF_PORTS_MAX);
    return false;
}

/* Reports files between others that are not there. */
static void report_gap(struct vf_tree *t, const struct vf_problem *where, const char *folder,
                       uint32_t first, uint32_t end)
{
    if (first + 1 == end)
        vf_problem_add(t, where, "%s/%u is missing", folder, first);
    else if (first < end)
        vf_problem_add(t, where, "%s/%u to %u are missing", folder, first, end - 1);
}

static void unreadable(struct vf_tree *t, const struct vf_problem *where, const char *path)
{
    vf_problem_add(t, where, "%s cannot be read: %s", path, strerror(errno));
}

static void unexpected(struct vf_tree *t, const struct vf_problem *where, const char *path,
                       const char *value, const char *expected)
{
    vf_problem_add(t, where, "%s has \"%s\"; expected %s", path, value, expected);
}

static bool read_key(struct vf_tree *t, const struct vf_problem *where, const char *path,
                     weft_pkey *ret)
{
    char value[VALUE_BYTES];

    if (!read_value(path, value))
        unreadable(t, where, path);
    else if (!key_of(value, ret))
        unexpected(t, where, path, value, "a P_Key, such as 0xffff");
    else
        return true;
    return false;
}

/* Reports keys for which there is no file: sorted names tell, of which the last is there. */
static void find_missing_keys(struct vf_tree *t, const struct vf_problem *where, const char *path,
                              const struct names *names)
{
    uint32_t next = 0;
    uint32_t index;

    for (int i = 0; i < names->count; i++) {
        if (!number_of(names->items[i]->d_name, &index))
            continue;
        report_gap(t, where, path, next, index);
        next = index + 1;
    }
}

static void read_keys(struct vf_tree *t, const struct vf_problem *where, const char *folder,
                      struct vf_port *port)
{
    struct names names;
    char path[PATH_MAX];
    uint32_t index;
    uint32_t highest = 0;

    port->unknown = true;
    if (!join(path, folder, "pkeys") || list(path, &names) != 0) {
        unreadable(t, where, path);
        return;
    }
    for (int i = 0; i < names.count; i++)
        if (take_number(t, where, path, names.items[i]->d_name, &index) && index + 1 > highest)
            highest = index + 1;
    find_missing_keys(t, where, path, &names);
    port->keys = calloc(highest + 1, sizeof(*port->keys));
    port->known = calloc(highest + 1, sizeof(*port->known));
    t->failed = t->failed || !port->keys || !port->known;
    port->key_count = t->failed ? 0 : highest;
    for (int i = 0; i < names.count && !t->failed; i++) {
        char file[PATH_MAX];

        if (number_of(names.items[i]->d_name, &index) && join(file, path, names.items[i]->d_name))
            port->known[index] = read_key(t, where, file, &port->keys[index]);
    }
    port->unknown = false;
    for (uint32_t i = 0; i < port->key_count; i++)
        port->unknown = port->unknown || !port->known[i];
    names_free(&names);
}

static void read_entry(struct vf_tree *t, const struct vf_problem *where, const char *path,
                       struct vf_entry *ret)
{
    char value[VALUE_BYTES];

    ret->physical = VF_NONE;
    ret->unknown = true;
    if (!read_value(path, value))
        unreadable(t, where, path);
    else if (strcmp(value, "none") != 0 && !number_of(value, &ret->physical))
        unexpected(t, where, path, value, "a physical index or none");
    else
        ret->unknown = false;
}

static void read_entries(struct vf_tree *t, const struct vf_problem *where, const char *folder,
                         struct vf_function *f)
{
    struct names names;
    char path[PATH_MAX];
    uint32_t next = 0;

    if (!join(path, folder, "pkey_idx") || list(path, &names) != 0) {
        unreadable(t, where, path);
        f->unknown_0 = true;
        return;
    }
    f->entries = calloc((size_t)names.count + 1, sizeof(*f->entries));
    t->failed = t->failed || !f->entries;
    for (int i = 0; i < names.count && f->entries; i++) {
        struct vf_entry *entry = &f->entries[f->count];
        char file[PATH_MAX];

        if (!take_number(t, where, path, names.items[i]->d_name, &entry->virt) ||
            !join(file, path, names.items[i]->d_name))
            continue;
        report_gap(t, where, path, next, entry->virt);
        next = entry->virt + 1;
        read_entry(t, where, file, entry);
        f->count++;
    }
    f->unknown_0 = f->entries && f->count > 0 && f->entries[0].virt != 0;
    names_free(&names);
}

/* Whether a function sees the physical table as it is, which only the PF does. */
static bool is_identity(const struct vf_function *f, const struct vf_port *port)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->entries[i].virt != f->entries[i].physical)
            return false;
    return f->count > 1 && f->count + 1 >= port->key_count;
}

/* The PF is the PCI function that the device's own link leads to. Without the link it has the GID
 * of function 0, and where that is not told it is who sees all entries where they are. */
static bool is_pf(const char *device, const char *folder, const struct vf_function *f,
                  const struct vf_port *port)
{
    char path[PATH_MAX];
    char target[PATH_MAX];
    char value[VALUE_BYTES];
    const char *last;
    ssize_t length = join(path, device, "device") ? readlink(path, target, sizeof(target) - 1) : -1;

    if (length > 0) {
        target[length] = '\0';
        last = strrchr(target, '/');
        return strcmp(last ? last + 1 : target, f->name) == 0;
    }
    if (join(path, folder, "gid_idx/0") && read_value(path, value))
        return strcmp(value, "0") == 0;
    return is_identity(f, port);
}

static void read_function(struct vf_tree *t, const char *device, const char *iov, const char *name,
                          const struct vf_problem *of_port, struct vf_port *port)
{
    struct vf_function *f = &port->functions[port->function_count];
    struct vf_problem where = *of_port;
    char path[PATH_MAX];
    char folder[PATH_MAX];

    if (!join(path, iov, name) || !join(folder, path, "ports") || !join(path, folder, port->name) ||
        !is_folder(path))
        return;
    f->name = strdup(name);
    if (!f->name) {
        t->failed = true;
        return;
    }
    port->function_count++;
    where.function = f->name;
    read_entries(t, &where, path, f);
    f->physical = is_pf(device, path, f, port);
    for (size_t i = 0; i < f->count; i++) {
        struct vf_entry *e = &f->entries[i];

        if (e->physical < port->key_count) {
            e->key = port->keys[e->physical];
            e->unknown = !port->known[e->physical];
        } else if (port->key_count == 0 && port->unknown) {
            e->unknown = e->unknown || e->physical != VF_NONE;
        }
    }
}

/* Whether a folder's name is in a list. */
static bool has_name(const struct names *names, const char *name)
{
    for (int i = 0; i < names->count; i++)
        if (strcmp(names->items[i]->d_name, name) == 0)
            return true;
    return false;
}

/* Reports ports of functions that the device has not. */
static void check_function_ports(struct vf_tree *t, const char *iov, const char *name,
                                 const struct names *ports, const char *device)
{
    const struct vf_problem where = {VF_UNREADABLE, device, "", "", NULL};
    struct names names;
    char path[PATH_MAX];
    char folder[PATH_MAX];

    if (!join(path, iov, name) || !join(folder, path, "ports") || list(folder, &names) != 0)
        return;
    for (int i = 0; i < names.count; i++)
        if (!has_name(ports, names.items[i]->d_name) &&
            take_port(t, &where, folder, names.items[i]->d_name))
            vf_problem_add(t, &where, "%s/%s: there is no %s/ports/%s", folder,
                           names.items[i]->d_name, iov, names.items[i]->d_name);
    names_free(&names);
}

static void read_port(struct vf_tree *t, const char *device, const char *iov,
                      const struct names *functions, struct vf_device *d, const char *name)
{
    struct vf_port *port = &d->ports[d->port_count];
    struct vf_problem where = {VF_UNREADABLE, d->name, "", "", NULL};
    char ports[PATH_MAX];
    char path[PATH_MAX];

    port->name = strdup(name);
    port->functions = calloc((size_t)functions->count + 1, sizeof(*port->functions));
    d->port_count++;
    if (!port->name || !port->functions) {
        t->failed = true;
        return;
    }
    where.port = port->name;
    if (!join(ports, iov, "ports") || !join(path, ports, name))
        return;
    read_keys(t, &where, path, port);
    for (int i = 0; i < functions->count && !t->failed; i++)
        if (strcmp(functions->items[i]->d_name, "ports") != 0)
            read_function(t, device, iov, functions->items[i]->d_name, &where, port);
}

static void read_device(struct vf_tree *t, const char *root, const char *name)
{
    struct vf_device *d = &t->devices[t->device_count];
    struct vf_problem where = {VF_UNREADABLE, "", "", "", NULL};
    struct names functions;
    struct names ports;
    char device[PATH_MAX];
    char iov[PATH_MAX];
    char path[PATH_MAX];

    if (!join(device, root, name) || !join(iov, device, "iov") || !is_folder(iov))
        return;
    d->name = strdup(name);
    if (!d->name) {
        t->failed = true;
        return;
    }
    t->device_count++;
    where.device = d->name;
    if (list(iov, &functions) != 0) {
        unreadable(t, &where, iov);
        return;
    }
    if (!join(path, iov, "ports") || list(path, &ports) != 0) {
        unreadable(t, &where, path);
        names_free(&functions);
        return;
    }
    d->ports = calloc((size_t)ports.count + 1, sizeof(*d->ports));
    t->failed = t->failed || !d->ports;
    for (int i = 0; i < ports.count && !t->failed; i++)
        if (take_port(t, &where, path, ports.items[i]->d_name))
            read_port(t, device, iov, &functions, d, ports.items[i]->d_name);
    for (int i = 0; i < functions.count && !t->failed; i++)
        if (strcmp(functions.items[i]->d_name, "ports") != 0)
            check_function_ports(t, iov, functions.items[i]->d_name, &ports, d->name);
    names_free(&ports);
    names_free(&functions);
}

int vf_tree_read(const char *root, struct vf_tree *t)
{
    struct names names;
    char path[PATH_MAX];

    *t = (struct vf_tree){0};
    if (!join(path, root, "class/infiniband") || !is_folder(path))
        snprintf(path, sizeof(path), "%s", root);
    if (list(path, &names) != 0)
        return WEFT_ERR_NOTFOUND;
    t->devices = calloc((size_t)names.count + 1, sizeof(*t->devices));
    t->failed = !t->devices;
    for (int i = 0; i < names.count && !t->failed; i++)
        read_device(t, path, names.items[i]->d_name);
    names_free(&names);
    return t->failed ? WEFT_ERR_NOMEM : 0;
}

static void port_free(struct vf_port *port)
{
    for (size_t i = 0; i < port->function_count; i++) {
        free(port->functions[i].name);
        free(port->functions[i].entries);
    }
    free(port->functions);
    free(port->keys);
    free(port->known);
    free(port->name);
}

void vf_tree_free(struct vf_tree *t)
{
    for (size_t i = 0; i < t->problem_count; i++)
        free(t->problems[i].text);
    free(t->problems);
    for (size_t i = 0; i < t->device_count; i++) {
        for (size_t j = 0; j < t->devices[i].port_count; j++)
            port_free(&t->devices[i].ports[j]);
        free(t->devices[i].ports);
        free(t->devices[i].name);
    }
    free(t->devices);
    *t = (struct vf_tree){0};
}
