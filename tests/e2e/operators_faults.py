#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The operators' verbs while a fabric changes under them, beside SMAs that lie and PMAs that can
less than others: what has changed is seen at the next look, and every lie ends in a report."""
import json
import os
import re
import signal
import urllib.request

import fabric_lab
import tap

SPEC = "fat-tree:hosts=8,radix=4"
HOST = "host-00001"
# Requests of a sweep of this fabric are 100 or so when all tell the truth. Each of the ten ports
# that face a liar brings one more switch at most, with two requests for each of 254 ports.
REQUESTS_MAX = 6000
LAB = None


def weft(verb, *options, lab=None, code=None):
    """Runs a verb at the fabric; where a code is given it must end with that."""
    done = tap.run([tap.weft(), *verb.split(), "--fabric", str((lab or LAB).socket),
                    *([] if verb.startswith("topology") else ["--node", HOST]),
                    *map(str, options)])
    assert code is None or done.returncode == code, \
        f"{verb}: exit code {done.returncode}, not {code}:\n{done.stdout}\n{done.stderr}"
    return done


class Watch(fabric_lab.Program):
    """weft counters --watch, from now to the end of the lab."""

    def __init__(self, lab):
        super().__init__([tap.weft(), "counters", "--watch", "200ms", "--fabric", lab.socket,
                          "--node", HOST], env=os.environ, cwd=lab.folder,
                         log=lab.folder / "watch")
        lab.programs.append(self)

    def shows(self, words):
        fabric_lab.wait_until(lambda: words in self.said(), f"it says {words!r}", hint=self.said)


class Exporter(fabric_lab.Program):
    """weft exporter, which sweeps the fabric anew for each that asks."""

    def __init__(self, lab):
        super().__init__([tap.weft(), "exporter", "--listen", "127.0.0.1:0", "--interval", "0",
                          "--topology-interval", "0", "--fabric", lab.socket, "--node", HOST],
                         env=os.environ, cwd=lab.folder, log=lab.folder / "exporter")
        lab.programs.append(self)
        found = fabric_lab.wait_until(
            lambda: re.search(r"^serving (http://\S+)$", self.said(), flags=re.M), "it serves",
            hint=self.said)
        self.url = found[1]

    def value(self, metric, **labels):
        """A sample of a look that begins now, of the port that weft_port_info gives these labels;
        None: there is none."""
        with urllib.request.urlopen(self.url, timeout=60) as answer:
            text = answer.read().decode("utf-8")
        samples = [(name, dict(re.findall(r'(\w+)="([^"]*)"', found)), float(value))
                   for name, found, value in re.findall(r"^(\w+)\{(.*)\} (\S+)$", text,
                                                        flags=re.M)]
        ports = [(found["guid"], found["port"]) for name, found, _ in samples
                 if name == "weft_port_info" and labels.items() <= found.items()]
        found = [value for name, found, value in samples
                 if name == metric and (found["guid"], found["port"]) in ports]
        return found[0] if found else None

    def shows(self, wanted, metric, **labels):
        fabric_lab.wait_until(lambda: self.value(metric, **labels) == wanted,
                              f"{metric} {labels} is {wanted}", hint=self.said)


def test_what_changes_is_seen_at_the_next_look():
    """With OpenSM, which makes links active again that have trained anew."""
    with fabric_lab.weft(SPEC) as lab:
        lab.opensm("host-00002")
        dump = lab.folder / "before.topo"
        weft("discover", "--save", dump, lab=lab, code=0)
        watch, exporter = Watch(lab), Exporter(lab)
        watch.shows("the first look is done")

        lab.ctl("cable", "leaf-0004/2", "remove")
        watch.shows("leaf-0004/2: link down\n")
        watch.shows("host-00008: gone\n")
        exporter.shows(1, "weft_port_state", name="leaf-0004", port="2")
        tap.equal(exporter.value("weft_target_up", name="host-00008"), 0)

        lab.ctl("cable", "leaf-0002/2", "move", "leaf-0004/2")
        watch.shows("leaf-0002/2: link down\n")
        watch.shows("host-00004/1: cable moved from leaf-0002/2 to leaf-0004/2\n")
        exporter.shows(4, "weft_port_state", name="host-00004", peer_name="leaf-0004",
                       peer_port="2")
        exporter.shows(1, "weft_port_state", name="leaf-0002", port="2")

        lab.ctl("link", "leaf-0003/3", "width", "1x", "speed", "SDR")
        watch.shows("leaf-0003/3: link was 4x EDR, is 1x SDR\n")
        exporter.shows(1, "weft_port_degraded", name="leaf-0003", port="3")
        exporter.shows(4, "weft_port_state", name="leaf-0003", port="3")

        lab.ctl("name", "host-00007", "new name")
        watch.shows(": host-00007 is now called new name\n")
        exporter.shows(1, "weft_target_up", name="new name", type="ca")

        changes = weft("topology diff", dump, lab=lab, code=1).stdout
        for words in ['link-moved: the cable at port 1 of Ca 0200000000100006 "host-00004" moved '
                      'its other end from port 2 of Switch 0200000000010001 "leaf-0002" to port 2 '
                      'of Switch 0200000000010003 "leaf-0004"\n',
                      '"host-00007" is now Ca 020000000010000c "new name"\n',
                      "is degraded: it had 4xEDR, now 1xSDR\n", '"host-00008" is gone\n']:
            tap.contains(changes, words)
        tap.equal(changes.count("\n"), 5, changes)

        # There and back while they run: nothing was started anew.
        lab.ctl("cable", "leaf-0004/2", "move", "leaf-0002/2")
        watch.shows("host-00004/1: cable moved from leaf-0004/2 to leaf-0002/2\n")
        exporter.shows(4, "weft_port_state", name="host-00004", peer_name="leaf-0002")
        tap.equal([watch.end(signal.SIGTERM), exporter.end(signal.SIGTERM)], [0, 0])


def lies():
    """Who lies how, which lines of discover that brings, and what counters says of it."""
    return [
        ("leaf-0002 local-port-num", r'"spine-000\d" port 2 says of itself what no node can say',
         2, "nobody answers behind it: spine-0001/2, spine-0002/2"),
        ("host-00004 num-ports", r'"leaf-0002" port 2 says of itself what no node can say', 1,
         "nobody answers behind it: leaf-0002/2"),
        # Who asks finds itself behind another cable; two hosts have one GUID.
        (f"host-00004 node-info {HOST}", r'"leaf-0002" port 2 has a GUID and port that another '
         r'cable leads to: Switch \w+ "leaf-0001" port 1', 1, "is elsewhere, too: leaf-0002/2"),
        ("host-00004 guids host-00006", r'has a GUID and port that another cable leads to', 1,
         "is elsewhere, too: leaf-000"),
        # A third switch seems to be behind the cables of the second.
        ("leaf-0002 node-info leaf-0003", r'"spine-000\d" port \d has a GUID and port that another '
         'cable leads to', 2, "is elsewhere, too: spine-0001/"),
        ("leaf-0002 new-guids", r'the switch behind Switch \w+ "spine-000\d" port 2 has another '
         'GUID each time it is asked, and is not crossed', 2,
         "another GUID each time it is asked: spine-0001/2, spine-0002/2"),
        ("leaf-0002 node-type", r'"spine-000\d" port 2 has a GUID whose node was something else '
         'before', 1, "spine-000"),
        ("leaf-0002 port-info", r'nobody answers behind Switch \w+ "leaf-0002" port \d+; tried',
         100, "nobody answers behind it: leaf-0002/[5-9], leaf-0002/[10-99], leaf-0002/[100-254]"),
    ]


def test_each_lie_ends_in_a_report():
    """Once for discover and once for counters, with the same requests each time it is told."""
    for lie, line, count, told in lies():
        LAB.ctl("lie", *lie.split())
        found = weft("discover", code=1)
        tap.equal(len(re.findall(line, found.stderr)), count, f"{lie}:\n{found.stderr}\n")
        tap.contains(weft("counters", code=1).stdout, told, lie)
        LAB.ctl("lie", lie.split()[0], "off")
    weft("discover", code=0)
    weft("counters", code=0)


def test_no_lie_makes_a_sweep_go_on():
    """All lies of a switch and of a host at a time: bounded by requests, not by the clock."""
    for node in ["leaf-0002", "spine-0001", "host-00004"]:
        for lie in ["new-guids", "node-type", "port-info", "node-description"]:
            if lie != "port-info" or node != "host-00004":
                LAB.ctl("lie", node, lie)
    try:
        found = json.loads(weft("discover", "--json", "--timeout", "100ms", code=1).stdout)
        assert found["requests"] < REQUESTS_MAX, found["requests"]
        assert found["problems"]
        weft("counters", "--timeout", "100ms", code=1)
    finally:
        for node in ["leaf-0002", "spine-0001", "host-00004"]:
            LAB.ctl("lie", node, "off")


def test_a_name_that_would_move_the_cursor():
    LAB.ctl("lie", "host-00004", "node-description")
    try:
        ours = weft("discover", "--list", code=0).stdout
        theirs = LAB.run(HOST, "ibnetdiscover", "--list")
        tap.equal(sorted(ours.splitlines()), sorted(theirs.splitlines()), "discover")
        for done in [weft("discover", code=0), weft("counters", "--all", code=0),
                     weft("counters", "--all", "--json", code=0),
                     weft("exporter", "--once", code=0)]:
            tap.none(repr(c) for c in done.stdout if (c < " " or c == "\x7f") and c not in "\n\t")
    finally:
        LAB.ctl("lie", "host-00004", "off")


def test_pmas_that_can_less():
    """What an agent does not have is absent, and a value that its field cannot hold is marked."""
    for node, less in [("leaf-0001", "extended none"), ("leaf-0002", "extended no-ietf"),
                       ("leaf-0003", "extended no-errors"), ("leaf-0004", "all-port-select off"),
                       ("host-00003", "mute"), ("host-00005", "time 10ms")]:
        LAB.ctl("pma", node, *less.split())
        if node.startswith("leaf"):
            LAB.ctl("counter", f"{node}/1", "symbol_errors", "set", 70000)
            LAB.ctl("counter", f"{node}/1", "xmit_data", "set", 2**33)
    try:
        found = json.loads(weft("counters", "--all", "--json", code=1).stdout)
        ports = {f"{p['node']}/{p['port']}": p for p in found["ports"]}
        tap.equal([(p["node"], p["kind"]) for p in found["unanswered"]], [("host-00003", "silent")])
        tap.equal(ports["host-00005/1"]["counters_read"], "read")
        tap.equal([(ports[f"leaf-000{n}/1"]["counters"]["symbol_errors"],
                    "symbol_errors" in ports[f"leaf-000{n}/1"]["at_least"]) for n in range(1, 5)],
                  [(65535, True), (65535, True), (65535, True), (70000, False)])
        # Words of 4 bytes; those of 32 bits are stuck.
        tap.equal(["xmit_bytes" in ports[f"leaf-000{n}/1"]["at_least"] for n in range(1, 5)],
                  [True, False, False, False])
        assert ports["leaf-0002/1"]["counters"]["xmit_bytes"] >= 2**35
        tap.equal(["unicast_xmit_packets" in ports[f"leaf-000{n}/1"]["counters"]
                   for n in range(1, 5)], [False, False, True, True])
    finally:
        for node in ["leaf-0001", "leaf-0002", "leaf-0003", "leaf-0004", "host-00003",
                     "host-00005"]:
            LAB.ctl("pma", node, "restore")


if __name__ == "__main__":
    with fabric_lab.weft(SPEC, "--up") as LAB:
        tap.main(globals())
