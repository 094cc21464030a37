#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Each tool runs under valgrind without a report that has a frame in weft's libibumad."""
import re

import fabric_lab
import fabric_net
import tap

SPEC = "fat-tree:hosts=36,radix=12"
NET = fabric_net.Net(fabric_lab.topology(SPEC))
HOSTS = NET.hosts()
SM, TOOLS, PEER = HOSTS[0].id, HOSTS[1].id, HOSTS[20].id
# A frame in the drop-in: its sources, or the library itself where lines are not known.
OURS = re.compile(r"\bsrc/(umad|core|channel)/|/umad/libibumad\.so")
TIMEOUT_S = 100
LAB = None
FOUND = None


def valgrind(report, *command):
    # What tools do not give back is theirs; the drop-in's own tests look for leaks.
    return ["valgrind", "--quiet", "--leak-check=no", "--fullpath-after=", f"--log-file={report}",
            "--child-silent-after-fork=yes", *map(str, command)]


def reports(path):
    """What valgrind has said that has a frame of ours."""
    text = re.sub(r"^==\d+== ?", "", path.read_text(encoding="utf-8"), flags=re.M)
    return [part for part in text.split("\n\n") if OURS.search(part)]


def clean(*command, node=TOOLS):
    """Runs a tool under valgrind: it must do its work, and nothing of ours be reported."""
    report = LAB.folder / f"valgrind-{command[0]}"
    done = LAB.done(node, *valgrind(report, *command), timeout=TIMEOUT_S)
    tap.none(reports(report))
    assert "Command terminated" not in done.stderr, done.stderr
    return done


def test_the_local_port():
    for command in (("ibstat",), ("ibaddr",)):
        tap.succeeds(clean(*command))


def test_discovery():
    for command in (("ibnetdiscover",), ("iblinkinfo", "-l"), ("ibqueryerrors",)):
        tap.succeeds(clean(*command))


def test_single_queries():
    lid = FOUND.nodes[PEER].lid()
    for command in (("smpquery", "nodeinfo", lid), ("smpdump", lid, "0x11"), ("sminfo",),
                    ("perfquery",), ("ibtracert", lid, FOUND.nodes[SM].lid()),
                    ("ibroute", "-D", "0,1"), ("dump_fts",)):
        tap.succeeds(clean(*command))
    switch, port = FOUND.nodes[PEER].cables[1]
    tap.succeeds(clean("ibportstate", FOUND.nodes[switch].lid(), port, "query"))


def test_errors_and_timeouts():
    clean("smpquery", "-t", "100", "nodeinfo", "4000")
    clean("vendstat", "-N", FOUND.nodes[PEER].lid())
    clean("ibccquery", "CongestionInfo", FOUND.nodes[PEER].lid())
    clean("ibping", "-c", "1", "-f", FOUND.nodes[SM].lid())


def test_tables():
    for words in (("NR",), ("-p",)):
        done = clean("saquery", "-t", "60000", *words)
        tap.succeeds(done)
        assert len(fabric_net.records(done.stdout)) >= len(NET.nodes), done.stdout


def test_servers():
    lid = FOUND.nodes[PEER].lid()
    name = fabric_lab.read("/proc/sys/kernel/hostname").strip()
    for tool, client in (("ibping", ("ibping", "-c", "1", "-f", lid)),
                         ("ibsysstat", ("ibsysstat", lid, "host"))):
        report = LAB.folder / f"valgrind-{tool}-server"
        server = LAB.spawn(PEER, *valgrind(report, tool, "-S"), name=tool)
        # Both say where they run.
        fabric_lab.wait_until(lambda command=client: name in LAB.done(TOOLS, *command).stdout,
                              f"{tool} answers", hint=server.said)
        server.end()
        tap.none(reports(report))


def test_OpenSM():
    with fabric_lab.weft(SPEC) as lab:
        report = lab.folder / "valgrind-opensm"
        manager = fabric_lab.Opensm(lab, SM, [], "osm", before=valgrind(report))
        lab.programs.append(manager)
        manager.wait_up(timeout=TIMEOUT_S)
        manager.end()
        tap.none(reports(report))


if __name__ == "__main__":
    with fabric_lab.weft(SPEC) as LAB:
        LAB.opensm(SM)
        FOUND = fabric_net.Net(LAB.run(TOOLS, "ibnetdiscover"))
        tap.main(globals())
