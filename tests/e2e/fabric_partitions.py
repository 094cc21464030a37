#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""OpenSM's partition manager programs the fabric; traffic proves who reaches whom."""
import contextlib
import json
import os
import re

import fabric_lab
import tap

SPEC = "fat-tree:hosts=6,radix=6"
# The subnet manager, the hypervisor or full member, and others.
SM, FULL, PEER, OTHER, STRANGER = (f"host-0000{number}" for number in range(1, 6))
PING = os.environ["PKEY_PING"]
# How long what does not come is waited for; what comes, comes at once.
SILENCE_MS, ANSWER_MS = 150, 20000
DEFAULT = "Default=0x7fff, ipoib : ALL=full;"
NO_SUCH_KEY, SILENCE = 3, 4


def port_guid(host):
    """Of a host as the generator makes it."""
    return f"0x02000000001{2 * int(host[-5:]) - 1:05x}"


def partition(name, key, **members):
    listed = ", ".join(f"{port_guid(globals()[who])}={how}" for who, how in members.items())
    return f"{name}={key} : {listed};"


def on(host, function):
    """A node as labs know it."""
    return (host, function) if function else host


class Partitions:
    """A lab with OpenSM that goes by a file of partitions."""

    def __init__(self, lab, lines, options):
        self.lab = lab
        self.conf = lab.folder / "partitions.conf"
        self.write(lines)
        self.manager = lab.opensm(SM, "-P", self.conf, *options)
        self.lids = {host: self.lid(host) for host in (FULL, PEER, OTHER, STRANGER)}

    def lid(self, host):
        found = re.search(r"LID start (0x[0-9a-f]+)", self.lab.run(host, "ibaddr"))
        return int(found[1], 16)

    def write(self, lines):
        self.conf.write_text("\n".join([DEFAULT, *lines, ""]), encoding="utf-8")

    def change(self, *lines):
        """Gives the manager another file."""
        self.write(lines)
        self.manager.sweep()

    def table(self, host, function=0):
        """A table as a program sees it: {index: key}."""
        text = self.lab.run(on(host, function), PING, "table")
        return {int(index): int(key, 16)
                for index, key in re.findall(r"(\d+)=(0x[0-9a-f]{4})", text)}

    def serve(self, host, function=0):
        """Starts a program that answers."""
        program = self.lab.spawn(on(host, function), PING, "serve", name="serve")
        fabric_lab.wait_until(lambda: "ready" in program.said(), "the program serves",
                              hint=program.said)
        return program

    def ask(self, host, to, key, function=0, timeout_ms=ANSWER_MS):
        return self.lab.done(on(host, function), PING, "ask", self.lids[to], hex(key), timeout_ms)

    def reaches(self, host, to, key, function=0):
        """Asks; there must be an answer. Gives the index that it came on."""
        done = self.ask(host, to, key, function)
        tap.succeeds(done, hint=f"{host} asks {to} on 0x{key:04x}")
        return int(re.match(r"answer on (\d+)=", done.stdout)[1])

    def is_mute(self, host, to, key, function=0):
        """Asks; there must be none."""
        done = self.ask(host, to, key, function, SILENCE_MS)
        tap.equal((done.returncode, done.stdout.split(" ")[0]), (SILENCE, "silence"),
                  f"{host} asks {to} on 0x{key:04x}: {done.stdout}{done.stderr}")

    def violations(self, host):
        text = self.lab.run(SM, "smpquery", "portinfo", self.lids[host], 1)
        return int(re.search(r"PkeyViolations:\.*(\d+)", text)[1])

    def functions(self, host):
        """What the daemon tells of a host's functions."""
        answer = json.loads(self.lab.ctl("--json", "functions"))
        tap.equal(answer["schema"], "weft.fabric.functions/1")
        return [f for f in answer["functions"] if f["node"] == host]


@contextlib.contextmanager
def partitions(*lines, opensm=(), fabric=()):
    with fabric_lab.weft(SPEC, *fabric) as lab:
        yield Partitions(lab, lines, opensm)


def leaf_ports(p, host):
    """What the switch's port that a host is plugged into says of enforcement: in, out."""
    text = p.lab.run(SM, "smpquery", "-D", "portinfo", "0,1", int(host[-5:]))
    return [int(re.search(rf"PartEnforce{side}:\.*(\d)", text)[1]) for side in ("Inb", "Outb")]


BLUE = partition("blue", "0x0001", FULL="full", PEER="limited", OTHER="limited")


def test_full_and_limited_members_as_OpenSM_makes_them():
    with partitions(BLUE, opensm=("-Z", "off")) as p:
        tap.equal([p.table(host) for host in (FULL, PEER, OTHER, STRANGER)],
                  [{0: 0xFFFF, 1: 0x8001}, {0: 0xFFFF, 1: 0x0001}, {0: 0xFFFF, 1: 0x0001},
                   {0: 0xFFFF}])
        tap.equal(leaf_ports(p, PEER), [0, 0])
        full, peer = p.serve(FULL), p.serve(PEER)
        tap.equal(p.reaches(PEER, FULL, 0x0001), 1)
        tap.equal(p.reaches(FULL, PEER, 0x8001), 1)
        tap.contains(full.said(), "asked on 1=0x8001")
        tap.contains(peer.said(), "asked on 1=0x0001")
        # in the default partition all are full
        tap.equal(p.reaches(STRANGER, PEER, 0xFFFF), 0)
        # two limited members: the receiver's port counts, and tells the manager
        before = p.violations(PEER)
        p.is_mute(OTHER, PEER, 0x0001)
        tap.equal(p.violations(PEER), before + 1)
        p.manager.wait_for("num:257")
        tap.equal(peer.said().count("asked"), 2)
        # who is no member has no such key; one that it writes itself helps where no switch looks
        tap.equal(p.ask(STRANGER, PEER, 0x8001).returncode, NO_SUCH_KEY)
        p.lab.ctl("pkey", f"{STRANGER}/1", 9, "0x8001")
        tap.equal(p.reaches(STRANGER, PEER, 0x8001), 9)


def test_switches_enforce_partitions_in_and_out():
    with partitions(BLUE) as p:
        tap.equal(leaf_ports(p, PEER), [1, 1])
        p.serve(FULL)
        p.serve(PEER)
        p.serve(STRANGER)
        tap.equal(p.reaches(PEER, FULL, 0x0001), 1)
        tap.equal(p.reaches(FULL, PEER, 0x8001), 1)
        # between limited members the last switch says no: nothing is left for the port to count
        before = p.violations(PEER)
        p.is_mute(OTHER, PEER, 0x0001)
        tap.equal(p.violations(PEER), before)
        p.manager.wait_for("num:259")
        # nobody gets in with a key of its own making, nor as more than it is
        p.lab.ctl("pkey", f"{STRANGER}/1", 9, "0x8001")
        p.is_mute(STRANGER, FULL, 0x8001)
        p.lab.ctl("pkey", f"{OTHER}/1", 9, "0x8001")
        p.is_mute(OTHER, PEER, 0x8001)
        # and nobody is reached by a key that its switch does not know
        p.is_mute(FULL, STRANGER, 0x8001)


def test_R154_moved_and_removed_keys():
    with partitions(BLUE, fabric=("--vfs", 1)) as p:
        p.serve(PEER)
        guest = p.serve(FULL, 1)
        p.lab.ctl("vf", FULL, 1, "pkey", 4, 1)
        tap.equal(p.reaches(FULL, PEER, 0x8001), 1)
        tap.equal(p.reaches(FULL, PEER, 0x8001, 1), 4)
        tap.equal(p.reaches(PEER, FULL, 0x0001), 1)
        tap.contains(guest.said(), "asked on 4=0x8001")
        # the manager moves it to index 0: hosts look it up anew, guests keep the slot
        p.change(BLUE.replace("0x0001 :", "0x0001, indx0 :"))
        moved = p.table(FULL)
        tap.equal(moved[0], 0x8001)
        tap.equal(p.reaches(FULL, PEER, 0x8001), 0)
        tap.equal(p.table(FULL, 1).get(4), moved.get(1))
        tap.equal(p.reaches(FULL, PEER, 0x8001, 1), 0)
        p.reaches(PEER, FULL, 0x0001)
        tap.contains(guest.said(), "asked on 0=0x8001")
        # it is gone: from tables, and for traffic
        p.change()
        tap.equal([list(p.table(host).values()) for host in (FULL, PEER)], [[0xFFFF], [0xFFFF]])
        tap.equal(p.ask(FULL, PEER, 0x8001).returncode, NO_SUCH_KEY)
        tap.equal(p.ask(FULL, PEER, 0x8001, 1).returncode, NO_SUCH_KEY)


BOTH = partition("blue", "0x0001", FULL="both", PEER="full", OTHER="limited")


def test_R146_without_allow_both_pkeys_a_port_has_one_form():
    with partitions(BOTH) as p:
        tap.equal(p.table(FULL), {0: 0xFFFF, 1: 0x8001})
        p.serve(OTHER)
        tap.equal(p.reaches(FULL, OTHER, 0x8001), 1)
        tap.equal(p.ask(FULL, OTHER, 0x0001).returncode, NO_SUCH_KEY)


def check_guests(p):
    """Both forms with two guests of one host: 1 has the full one, 2 the limited one."""
    table = p.table(FULL)
    tap.equal(sorted(table.values()), [0x0001, 0x8001, 0xFFFF])
    where = {key: index for index, key in table.items()}
    p.lab.ctl("vf", FULL, 1, "pkey", 1, where[0x8001])
    p.lab.ctl("vf", FULL, 2, "pkey", 3, where[0x0001])
    tap.equal([p.table(FULL, guest) for guest in (1, 2)],
              [{0: 0xFFFF, 1: 0x8001}, {0: 0xFFFF, 3: 0x0001}])
    peer, other = p.serve(PEER), p.serve(OTHER)
    for host in (PEER, OTHER):
        tap.equal(p.reaches(FULL, host, 0x8001, 1), 1)
    tap.equal(p.reaches(FULL, PEER, 0x0001, 2), 3)
    p.is_mute(FULL, OTHER, 0x0001, 2)
    # R148: the host itself goes by its highest membership
    tap.equal(p.reaches(FULL, OTHER, 0x8001), where[0x8001])
    tap.equal((peer.said().count("asked"), other.said().count("asked")), (2, 2))
    # and the other way round, a guest at a time
    limited = p.serve(FULL, 2)
    tap.equal(p.reaches(PEER, FULL, 0x8001), 1)
    tap.contains(limited.said(), "asked on 3=0x0001")
    # The port takes it, for its full form; no guest has that, and the adapter says so.
    tap.contains(p.ask(OTHER, FULL, 0x0001).stdout, "status 0x000c")
    full = p.serve(FULL, 1)
    tap.equal(p.reaches(OTHER, FULL, 0x0001), 1)
    tap.contains(full.said(), "asked on 1=0x8001")
    tap.equal(limited.said().count("asked"), 1)
    # guests of one host are as any two members
    tap.equal(p.reaches(FULL, FULL, 0x0001, 2), 3)
    tap.equal(full.said().count("asked"), 2)


def test_R142_both_forms_for_two_guests_of_one_host():
    with partitions(BOTH, opensm=("-W",), fabric=("--vfs", 2)) as p:
        check_guests(p)


def test_R142_both_forms_where_no_switch_enforces():
    with partitions(BOTH, opensm=("-W", "-Z", "off"), fabric=("--vfs", 2)) as p:
        check_guests(p)


def test_R143_the_strict_mode_and_who_is_told():
    with partitions(BOTH, opensm=("-W",), fabric=("--vfs", 2, "--vf-strict")) as p:
        where = {key: index for index, key in p.table(FULL).items()}
        # all ports' tables were written once; guests saw no change in what they see
        tap.equal([f["events"] for f in p.functions(FULL)], [1, 0, 0])
        p.lab.ctl("vf", f"{FULL}/1", 1, "pkey", 1, where[0x8001])
        refused = tap.run([tap.weft(), "fabric", "ctl", p.lab.socket,
                           f"vf {FULL} 1 pkey 2 {where[0x0001]}"])
        assert refused.returncode != 0
        tap.contains(refused.stderr, "may have no two")
        told = p.functions(FULL)
        tap.equal([f["events"] for f in told], [1, 1, 0])
        tap.equal(told[1]["pkeys"],
                  [{"index": 0, "physical": 0, "pkey": "0xffff"},
                   {"index": 1, "physical": where[0x8001], "pkey": "0x8001"}])
        # another partition: only the host sees it
        p.change(BOTH, partition("red", "0x0002", FULL="full", PEER="full"))
        tap.equal([f["events"] for f in p.functions(FULL)], [2, 1, 0])
        # no partition: the guest that had it, too
        p.change()
        told = p.functions(FULL)
        tap.equal([f["events"] for f in told], [3, 2, 0])
        tap.equal(told[1]["pkeys"][1]["pkey"], "0x0000")


def test_a_function_that_is_not_there():
    with fabric_lab.weft(SPEC, "--vfs", 2, "--up") as lab:
        done = lab.done((FULL, 3), "ibstat")
        assert done.returncode == 3, done
        tap.contains(done.stderr, "no virtual function 3")
        done = lab.done(("leaf-0001", 1), "ibstat")
        tap.contains(done.stderr, "no virtual function 1")
        text = lab.run((FULL, 1), "smpquery", "nodeinfo", "-D", "0")
        tap.contains(re.sub(r"\.+", " ", text), "PartCap: 127")
        lab.run((FULL, 1), "smpquery", "pkeys", "-D", "0")
        # to other nodes it sends SMPs once the administrator lets it
        assert lab.done((FULL, 1), "smpquery", "-t", "50", "nodeinfo", "-D", "0,1").returncode != 0
        lab.ctl("vf", FULL, 1, "smp", "on")
        lab.run((FULL, 1), "ibnetdiscover")
        tap.contains(lab.ctl("functions"), "function 1 programs 0 events 0 smp on pkeys 0=0:0xffff")


tap.main(globals())
