#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The drop-in libibumad as programs see it that are linked with the system's: its symbols, a
program with epoll, long messages both ways, and programs that are killed."""
import os
import pathlib
import re
import signal

import fabric_lab
import tap

BUILD = pathlib.Path(os.environ["WEFT_BUILD"])
LIBRARY = BUILD / "src/umad/libibumad.so.3"
EPOLL = BUILD / "tests/e2e/umad_epoll"
TRANSFER = BUILD / "tests/e2e/umad_transfer"
FABRIC = "fat-tree:hosts=16,radix=4"
# Added to libibumad after the release that Debian 12 has.
LATER = {("umad_open_smi_port", "IBUMAD_1.3"), ("umad_get_smi_gsi_pairs", "IBUMAD_1.4"),
         ("umad_get_smi_gsi_pair_by_ca_name", "IBUMAD_1.4")}
# A transfer with a sanitizer inside takes its time.
LONG_S = 110


def exported(library):
    """(symbol, version) of a library."""
    done = tap.run(["nm", "-D", "--defined-only", "--with-symbol-versions", str(library)])
    tap.succeeds(done)
    return set(re.findall(r" [TW] (\S+?)@@?(\S+)$", done.stdout, flags=re.M)), done.stdout


def system_library():
    done = tap.run(["ldd", str(EPOLL)])
    tap.succeeds(done)
    return re.search(r"libibumad\.so\.3 => (\S+)", done.stdout)[1]


def test_the_library_exports_what_libibumad_does_and_nothing_else():
    ours, listing = exported(LIBRARY)
    theirs, _ = exported(system_library())
    tap.equal(sorted(ours), sorted(theirs | LATER))
    tap.none(f"{line} has no version of libibumad" for line in listing.splitlines()
             if " A IBUMAD_1." not in line and "@@IBUMAD_1." not in line)


def test_the_library_is_called_as_libibumad_and_needs_only_the_system():
    done = tap.run(["readelf", "-d", str(LIBRARY)])
    tap.succeeds(done)
    tap.contains(done.stdout, "Library soname: [libibumad.so.3]")
    needed = set(re.findall(r"\(NEEDED\).*\[(\S+)\]", done.stdout))
    tap.none(f"it needs {name}" for name in needed
             if not re.fullmatch(r"libc\.so\.6|ld-linux.*|libclang_rt\..*|lib(asan|ubsan)\..*|"
                                 r"lib(m|gcc_s|pthread|dl|rt|resolv)\.so\.\d+", name))


def lab():
    return fabric_lab.weft(FABRIC, "--up")


def names_of(running):
    """Names of the hosts."""
    text = fabric_lab.topology(FABRIC)
    running.daemon.must_live()
    return re.findall(r'^Ca\s.*# "([^"]+)"', text, flags=re.M)


def serving(running, node, name="server"):
    """A server of long messages, and its LID."""
    server = running.spawn(node, TRANSFER, "serve", name=name)
    said = fabric_lab.wait_until(lambda: re.search(r"serves at LID (\d+)", server.said()),
                                 "the server serves", hint=server.said)
    return server, said[1]


def packets(running):
    return int(re.search(r"^packets_in (\d+)$", running.ctl("status"), flags=re.M)[1])


def test_a_program_with_epoll_gets_its_answers():
    with lab() as running:
        hosts = names_of(running)
        done = running.run(hosts[0], EPOLL, 1, 2, 3, 4)
        answers = dict(re.findall(r'^(\d+) "([^"]+)"$', done, flags=re.M))
        tap.equal(sorted(answers), ["1", "2", "3", "4"])
        assert hosts[0] in answers.values(), answers


def test_long_messages_both_ways():
    with lab() as running:
        hosts = names_of(running)
        server, lid = serving(running, hosts[-1])
        for there, back in ((56, 56), (300, 20000), (20000, 300), (10_000_000, 300),
                            (300, 100_000_000)):
            tap.equal(running.run(hosts[0], TRANSFER, "ask", lid, there, back, timeout=LONG_S),
                      f"{there} bytes there, {back} back\n")
        server.must_live()


def test_long_messages_arrive_where_packets_are_lost():
    with lab() as running:
        hosts = names_of(running)
        server, lid = serving(running, hosts[-1])
        running.ctl("loss", "1%", "on", "node", hosts[0])
        tap.equal(running.run(hosts[0], TRANSFER, "ask", lid, 300, 30000, timeout=LONG_S),
                  "300 bytes there, 30000 back\n")


def test_a_program_that_is_killed_leaves_its_place_at_once():
    with lab() as running:
        hosts = names_of(running)
        for number in range(3):
            server, lid = serving(running, hosts[-1], f"server-{number}")
            asker = running.spawn(hosts[0], TRANSFER, "ask", lid, 300, 50_000_000, name="asker")
            if number > 0:
                # in the middle of a transfer, too
                before = packets(running)
                fabric_lab.wait_until(lambda b=before: packets(running) > b + 100, "packets pass")
            tap.equal(server.end(signal.SIGKILL), -signal.SIGKILL)
            tap.equal(asker.end(signal.SIGKILL), -signal.SIGKILL)
        tap.contains(running.run(hosts[0], EPOLL, 1), hosts[0])


if __name__ == "__main__":
    tap.main(globals())
