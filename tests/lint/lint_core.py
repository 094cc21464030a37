#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The core and the machines above it as the linker sees them: what they call from outside, what the
shared library exports."""
import os
import pathlib
import re

import tap

CORE = pathlib.Path(os.environ["WEFT_BUILD"], "src/core")
# What libweft is made of, each with what it may use from below and from outside.
CORE_ARCHIVE = CORE / "libweft_core.a"
CLIENT_ARCHIVE = CORE.parent / "client/libweft_client.a"
ALLOWED = {CORE_ARCHIVE: "core_allowed_symbols.txt", CLIENT_ARCHIVE: "client_allowed_symbols.txt"}


def symbols(path, *options):
    done = tap.run(["nm", *options, str(path)])
    tap.succeeds(done)
    return done.stdout


def definitions(listing):
    return set(re.findall(r"^[0-9a-f]+ [A-Z] (\S+)$", listing, flags=re.M))


def undefined(listing, below):
    """object -> names that it uses and neither an object of the `nm` output nor `below` defines."""
    defined = definitions(listing) | below
    wanted, current = {}, None
    for line in listing.splitlines():
        if found := re.fullmatch(r"(\S+\.o):", line):
            current = found[1].rsplit("/", 1)[-1]  # with its folder where the archive is thin
        elif found := re.fullmatch(r"\s+[Uw] (\S+)", line):
            if found[1] not in defined:
                wanted.setdefault(current, set()).add(found[1])
    return wanted


def allowed(archive):
    """symbol -> the only object that may use it, or None for any."""
    text = (tap.ROOT / "tests/lint" / ALLOWED[archive]).read_text("utf-8")
    lines = [line.split("#")[0].split() for line in text.splitlines()]
    return {words[0]: (words + [None])[1] for words in lines if words}


def refused(listing, allow, below=frozenset()):
    for current, names in sorted(undefined(listing, below).items()):
        for name in sorted(names):
            if name not in allow or allow[name] not in (None, current):
                yield (f"{current} uses {name}: core and client are functions of their inputs. If "
                       f"{name} is one too, add it to the archive's list in tests/lint")


def declared(library):
    done = tap.run([str(tap.ROOT / "tools/update-symbol-map"), "--list", library])
    tap.succeeds(done)
    return set(done.stdout.split())


def exported(path):
    listing = symbols(path, "-D", "--defined-only")
    return {line.split()[-1].split("@")[0] for line in listing.splitlines()} - {"WEFT_0.1"}


def test_the_core_calls_nothing_that_reads_prints_or_keeps_time():
    tap.none(refused(symbols(CORE_ARCHIVE), allowed(CORE_ARCHIVE)))


def test_the_machines_above_it_do_neither_and_take_no_memory_but_that_given():
    below = definitions(symbols(CORE_ARCHIVE))
    tap.none(refused(symbols(CLIENT_ARCHIVE), allowed(CLIENT_ARCHIVE), below))


def test_a_call_into_the_system_is_found():
    listing = ("\na.c.o:\n0000000000000000 T weft_a\n                 U getenv\n"
               "                 U weft_b\n                 U free\n"
               "\nb.c.o:\n0000000000000000 T weft_b\n                 U free\n")
    tap.equal([problem.split(":")[0] for problem in refused(listing, {"free": "b.c.o"})],
              ["a.c.o uses free", "a.c.o uses getenv"])
    tap.equal([problem.split(":")[0] for problem in refused(listing, {"free": None}, {"getenv"})],
              [])


def variables(listing):
    """Objects in `objdump -t` output whose section can be written to at run time."""
    return re.findall(r"^[0-9a-f]+ .{6}O \.(?:data|bss|tdata|tbss)(?:\.(?!rel\.ro)\S*)?\t"
                      r"[0-9a-f]+ (?:\.\w+ )?(\S+)$", listing, flags=re.M)


def test_the_core_and_the_machines_above_it_have_no_variables_that_change():
    for archive in ALLOWED:
        done = tap.run(["objdump", "-t", str(archive)])
        tap.succeeds(done)
        tap.none(f"{name} of {archive.name} is a variable outside of any object: two engines would "
                 "share it" for name in variables(done.stdout))


def test_a_variable_is_found():
    listing = ("0000000000000000 l     O .bss\t0000000000000008 calls.0\n"
               "0000000000000000 g     O .data\t0000000000000004 weft_debug\n"
               "0000000000000000 l     O .data.rel.ro.local\t0000000000000004 table\n"
               "0000000000000000 l     O .rodata\t0000000000000004 names\n")
    tap.equal(variables(listing), ["calls.0", "weft_debug"])


def exports_what_is_declared(library, path):
    names, found = declared(library), exported(path)
    tap.none([f"{name} is declared in include/weft but not exported: is it defined?"
              for name in sorted(names - found)]
             + [f"{name} is exported but not declared in include/weft"
                for name in sorted(found - names)])


def test_the_shared_library_exports_what_the_headers_declare():
    exports_what_is_declared("libweft", CORE.parent / "libweft/libweft.so.0")


def test_the_facade_exports_what_its_header_declares():
    exports_what_is_declared("libweft-iw", CORE.parent / "iw/libweft-iw.so.0")


def test_the_symbol_maps_are_current():
    done = tap.run([str(tap.ROOT / "tools/update-symbol-map"), "--check"])
    tap.succeeds(done)


tap.main(globals())
