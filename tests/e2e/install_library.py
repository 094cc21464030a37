#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What `make install` installs, and that programs outside the tree build against it."""
import os
import pathlib
import re

import fabric_lab
import tap

PROGRAM = """
#include <stdio.h>
%s
int main(void)
{
    printf("%%s|%%s", weft_version(), weft_strerror(WEFT_ERR_STALE));
    return 0;
}
"""

FOLDER = tap.scratch()
TOP = pathlib.Path(FOLDER.name)


def under(pattern):
    """The one installed file that matches."""
    found = list(TOP.rglob(pattern))
    tap.equal(len(found), 1, pattern)
    return found[0]


def headers(folder):
    return sorted(p.name for p in folder.glob("*.h"))


def flags(*options, library="libweft"):
    """What pkg-config says, of the installed copy first; what it requires is the system's."""
    system = tap.run(["pkg-config", "--variable=pc_path", "pkg-config"]).stdout.strip()
    done = tap.run(["pkg-config", *options, library],
                   env={"PKG_CONFIG_LIBDIR": f"{under('libweft.pc').parent}:{system}",
                        "PKG_CONFIG_SYSROOT_DIR": FOLDER.name})
    tap.succeeds(done)
    return done.stdout.split()


def build_and_run(compiler, name, standard, libraries):
    includes = "".join(f"#include <weft/{h}>\n" for h in headers(tap.ROOT / "include/weft"))
    with tap.scratch() as folder:
        source = pathlib.Path(folder, name)
        program = source.with_suffix("")
        source.write_text(PROGRAM % includes, encoding="utf-8")
        done = tap.run([compiler, standard, "-Wall", "-Wextra", "-pedantic", "-Werror",
                        *flags("--cflags"), str(source), "-o", str(program), *libraries])
        tap.succeeds(done)
        done = tap.run([str(program)],
                       env={"LD_LIBRARY_PATH": str(under("libweft.so.0").parent)})
    version = tap.run([tap.weft(), "--version"]).stdout.split()[1]
    tap.equal((done.returncode, done.stdout),
              (0, f"{version}|the handle names something that is gone"))


def test_it_installs_into_a_folder_of_its_own():
    done = tap.run(["meson", "install", "-C", os.environ["WEFT_BUILD"], "--no-rebuild",
                    "--destdir", FOLDER.name])
    tap.succeeds(done)


def test_every_public_header_is_installed():
    tap.equal(headers(under("include/weft")), headers(tap.ROOT / "include/weft"))


def test_a_c_program_builds_against_the_shared_library():
    build_and_run("gcc", "outside.c", "-std=c11", flags("--libs"))


def test_a_c_program_builds_against_the_archive():
    build_and_run("gcc", "outside.c", "-std=c11", [str(under("libweft.a"))])


def test_a_cpp_program_builds_against_the_shared_library():
    build_and_run("g++", "outside.cc", "-std=c++11", flags("--libs"))


EXAMPLES = {
    "two_ports": "   0 ms  a packet is lost\n"
                 " 100 ms  LID 2 has received 42 packets\n"
                 " 100 ms  OK after 2 packets\n",
    "table": "1050 ms: 4536 bytes, the last record is of LID 40\n"
             "1050 ms: the question: OK\n"
             "1050 ms: the answer: OK\n"
             "65 packets, every seventh lost\n",
}


def test_the_example_programs_build_and_tell_their_stories():
    sources = under("doc/weft/examples")
    # pkey_ping asks for a fabric: the tests of partitions run it. iw_echo needs more than libweft,
    # sweep a fabric.
    tap.equal(sorted(p.stem for p in sources.glob("*.c")),
              sorted([*EXAMPLES, "iw_echo", "pkey_ping", "sweep"]))
    for name, story in EXAMPLES.items():
        with tap.scratch() as folder:
            program = f"{folder}/{name}"
            build(name, program, str(under("libweft.a")))
            done = tap.run([program])
        tap.equal((done.returncode, done.stdout), (0, story), name)


def build(name, program, *libraries):
    """Builds an example as its first lines say."""
    tap.succeeds(tap.run(["gcc", "-std=c17", "-Wall", "-Wextra", "-pedantic", "-Werror",
                          *flags("--cflags"), str(under("doc/weft/examples") / f"{name}.c"),
                          "-o", program, *libraries]))


def test_the_sweep_finds_the_fabric_its_errors_and_a_path():
    with fabric_lab.weft("fat-tree:hosts=4,radix=4") as lab:
        program = f"{lab.folder}/sweep"
        build("sweep", program, *flags("--libs"))

        def found():
            done = tap.run([program, str(lab.socket), "host-00003"],
                           env={"LD_LIBRARY_PATH": str(under("libweft.so.0").parent)})
            tap.succeeds(done)
            return done.stdout.splitlines()

        tap.equal(found(), ["5 nodes, 4 cables, counters of 0 ports",
                            "no path: no SM has made itself known to this port"])
        lab.opensm("host-00001")
        lab.ctl("counter", "leaf-0001/2", "symbol_errors", "add", 7)
        lid = lab.port("host-00004", 1)["lid"]
        tap.equal(found(), ["5 nodes, 4 cables, counters of 9 ports",
                            "leaf-0001/2: SymbolErrorCounter 7", f"a path leads to LID {lid}"])


def test_the_echo_builds_against_libweft_iw_alone_and_gets_its_text_back():
    with tap.scratch() as folder:
        program = f"{folder}/iw_echo"
        tap.succeeds(tap.run(["gcc", "-std=c17", "-Wall", "-Wextra", "-pedantic", "-Werror",
                              str(under("doc/weft/examples") / "iw_echo.c"), "-o", program,
                              *flags("--cflags", "--libs", library="libweft-iw")]))
        done = tap.run([program, "over the loopback"],
                       env={"LD_LIBRARY_PATH": str(under("libweft.so.0").parent)})
    tap.equal((done.returncode, done.stdout), (0, "17 bytes came back: over the loopback\n"))


def test_the_facade_s_library_has_its_soname_and_needs_libweft_and_libuv():
    library = str(under("libweft-iw.so.0"))
    dynamic = tap.run(["readelf", "-dW", library]).stdout
    tap.contains(dynamic, "soname: [libweft-iw.so.0]", "dynamic")
    tap.equal(set(re.findall(r"NEEDED.*\[(.*?)\]", dynamic)),
              {"libweft.so.0", "libuv.so.1", "libc.so.6"})
    tap.contains(tap.run(["readelf", "-VW", library]).stdout, "WEFT_0.1", "versions")


def test_the_names_of_all_fields_are_installed():
    tap.equal(under("doc/weft/wire.md").read_bytes(), (tap.ROOT / "docs/wire.md").read_bytes())


def announce(cache):
    """What the installation says when the dynamic linker knows the libraries in `cache`."""
    folder = str(under("libweft.so.0").parent)
    with tap.scratch() as tools:
        ldconfig = pathlib.Path(tools, "ldconfig")
        ldconfig.write_text(f"#!/bin/sh\necho '{cache.format(folder)}'\n", encoding="utf-8")
        ldconfig.chmod(0o755)
        done = tap.run([str(tap.ROOT / "tools/announce-library"), folder],
                       env={"PATH": f"{tools}:{os.environ['PATH']}"})
    tap.equal(done.returncode, 0)
    return done.stderr.replace(folder, "FOLDER")


def test_a_library_that_the_linker_does_not_know_is_announced():
    tap.equal(announce("\tlibweft.so.0 (libc6,x86-64) => {}/libweft.so.0"), "")
    for cache in ("", "\tlibweft.so.0 (libc6,x86-64) => /elsewhere/libweft.so.0"):
        tap.contains(announce(cache), "programs do not find FOLDER/libweft.so.0 by themselves")


def test_the_shared_library_has_its_soname_and_version_node():
    library = str(under("libweft.so.0"))
    tap.contains(tap.run(["readelf", "-dW", library]).stdout, "soname: [libweft.so.0]", "dynamic")
    tap.contains(tap.run(["readelf", "-VW", library]).stdout, "WEFT_0.1", "versions")


def test_the_shared_library_needs_nothing_but_the_c_library_and_isa_l():
    dynamic = tap.run(["readelf", "-dW", str(under("libweft.so.0"))]).stdout
    tap.none(set(re.findall(r"NEEDED.*\[(.*?)\]", dynamic)) - {"libc.so.6", "libisal.so.2"})


def test_the_command_runs_from_where_it_is_installed():
    tap.equal(tap.run([str(under("bin/weft")), "--version"]).returncode, 0)


# What few runs of the command need, and a run that does: the package is named where it is missing.
LOADED = {
    "libibumad.so.3": ("libibumad3", ["discover", "--ca", "mlx5_0"]),
    "libmicrohttpd.so.12": ("libmicrohttpd12", ["exporter", "--listen", "127.0.0.1:0"]),
    "libpcap.so.0.8": ("libpcap0.8", ["trace", "decode", str(tap.ROOT / "examples/rping.pcap")]),
}


def test_the_command_starts_without_libraries_that_few_runs_need():
    dynamic = tap.run(["readelf", "-dW", str(under("bin/weft"))]).stdout
    tap.none(set(re.findall(r"NEEDED.*\[(.*?)\]", dynamic)) & set(LOADED))


def test_a_library_that_cannot_be_loaded_is_named_with_its_package():
    for library, (package, words) in LOADED.items():
        with tap.scratch() as folder:
            pathlib.Path(folder, library).touch()
            done = tap.run([str(under("bin/weft")), *words],
                           env={"LD_LIBRARY_PATH": folder, "WEFT_FABRIC": "", "WEFT_NODE": ""})
        tap.equal(done.returncode, 3, library)
        tap.contains(done.stderr, f"{library} cannot be loaded", "error")
        tap.contains(done.stderr, f"package {package} ", "error")


def test_the_drop_in_keeps_to_its_folder_where_the_installed_command_finds_it():
    library = under("libibumad.so.3")
    tap.equal(library.parent.name, "weft")
    tap.equal({p.parent for p in TOP.rglob("libibumad*")}, {library.parent})
    command = str(under("bin/weft"))
    socket = {"WEFT_FABRIC": f"{FOLDER.name}/s"}
    tap.succeeds(tap.run([command, "fabric", "--topology", "fat-tree:hosts=4,radix=4", "--up",
                          "--daemon"], env=socket))
    try:
        done = tap.run([command, "run", "--node", "host-00001", "sh", "-c",
                        'echo "$LD_LIBRARY_PATH"; PATH=$PATH:/usr/sbin ibstat -p'],
                       env={**socket, "LD_LIBRARY_PATH": ""})
    finally:
        stopped = tap.run([command, "fabric", "ctl", "stop"], env=socket)
    tap.succeeds(stopped)
    tap.succeeds(done)
    folder, guid = done.stdout.splitlines()
    assert os.path.samefile(folder, library.parent), folder
    assert int(guid, 16) > 0, guid


def test_manual_pages_are_installed_and_render_without_a_warning():
    pages = sorted([*TOP.rglob("man1/*"), *TOP.rglob("man3/*")])
    wanted = sorted(p.stem for p in (tap.ROOT / "man").glob("*.scd"))
    tap.equal(sorted(p.name for p in pages), wanted)
    for page in pages:
        done = tap.run(["man", "--warnings", "-l", str(page)], env={"MANPAGER": "cat"})
        tap.equal((done.returncode, done.stderr), (0, ""), page.name)


tap.main(globals())
