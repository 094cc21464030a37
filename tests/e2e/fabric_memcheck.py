#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Each tool runs under valgrind without a report that has a frame in weft's libibumad."""
import pathlib
import xml.etree.ElementTree

import fabric_lab
import fabric_net
import tap

SPEC = "fat-tree:hosts=36,radix=12"
NET = fabric_net.Net(fabric_lab.topology(SPEC))
HOSTS = NET.hosts()
SM, TOOLS, PEER = HOSTS[0].id, HOSTS[1].id, HOSTS[20].id
DROP_IN = str(pathlib.Path(tap.weft()).resolve().parent.parent / "umad")
TIMEOUT_S = 100
LAB = None
FOUND = None


def valgrind(report, *command):
    return ["valgrind", "--quiet", "--xml=yes", f"--xml-file={report}", "--child-silent-after-fork="
            "yes", *map(str, command)]


def reports(path):
    """What valgrind has said that has a frame of ours: kind and stack as text."""
    text = fabric_lab.read(path)
    if "</valgrindoutput>" not in text:
        text += "</valgrindoutput>"
    for error in xml.etree.ElementTree.fromstring(text).iter("error"):
        stack = [f"{frame.findtext('obj')}: {frame.findtext('fn')} "
                 f"({frame.findtext('file')}:{frame.findtext('line')})"
                 for frame in error.iter("frame")]
        if any(frame.startswith(DROP_IN) for frame in stack):
            yield "\n  ".join([error.findtext("kind") or "", *stack])


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
    for tool, client in (("ibping", ("ibping", "-c", "1", "-f", lid)),
                         ("ibsysstat", ("ibsysstat", lid))):
        report = LAB.folder / f"valgrind-{tool}-server"
        server = LAB.spawn(PEER, *valgrind(report, tool, "-S"), name=tool)
        fabric_lab.wait_until(lambda: "0% packet loss" in (said := LAB.done(TOOLS, *client).stdout)
                              and "100%" not in said or "ping succeeded" in said,
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
