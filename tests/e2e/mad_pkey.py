#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Where the default partition stands in a port's P_Key table is where weft sa, weft counters and
weft exporter look for it; a port that is no member is told so."""
import json
import os
import re

import exporter_command
import fabric_lab
import tap

SPEC = "fat-tree:hosts=4,radix=4"
SM, ASKER, OTHER = "host-00001", "host-00002", "host-00003"
GUID = "0x0200000000100003"
LAB = None


def weft(verb, *words):
    return tap.run([tap.weft(), verb, "--fabric", str(LAB.socket), "--node", ASKER, *words])


def table(**keys):
    """Writes entries of the asking port's table, as in table(i0="0x8005")."""
    for index, key in keys.items():
        LAB.ctl("pkey", f"{ASKER}/1", index[1:], key)


def violations():
    """How many packets have come to the subnet manager's port with a key that is not its own."""
    text = LAB.run(OTHER, "smpquery", "portinfo", LAB.port(SM, 1)["lid"], 1)
    return int(re.search(r"PkeyViolations:\.*(\d+)", text)[1])


def test_the_SA_is_asked_by_the_index_of_the_default_partition():
    table(i0="0x8005", i3="0x7fff", i6="0xffff")
    for _ in range(2):
        done = weft("sa", "--json", "nodes")
        tap.succeeds(done, hint=fabric_lab.tail(LAB.daemon.said()))
        document = json.loads(done.stdout)
        tap.equal((document["complete"], document["silent"]), (True, 0))
        assert {ASKER, SM} <= {one["description"] for one in document["records"]}, document
        # a limited member of the default partition may ask, too
        table(i6="0x0000")
    tap.equal(violations(), 0)


def test_counters_are_asked_by_the_index_of_the_default_partition():
    table(i0="0x8005", i3="0x0000", i6="0xffff")
    done = weft("counters", "--json", "--all")
    tap.succeeds(done, hint=done.stderr)
    ports = json.loads(done.stdout)["ports"]
    tap.equal({one["counters_read"] for one in ports}, {"read"})
    assert {ASKER, SM, OTHER} <= {one["node"] for one in ports}, ports
    tap.equal(violations(), 0)


def test_the_exporter_goes_along_with_a_key_that_moves():
    table(i0="0x8005", i3="0x0000", i6="0xffff")
    exporter = exporter_command.Exporter("--interval", "0", lab=LAB, node=ASKER)
    for keys in ({}, {"i3": "0xffff", "i6": "0x0000"}, {"i6": "0xffff", "i3": "0x0000"}):
        table(**keys)
        read = [value for _, value in exporter.metrics().all("weft_targets", state="read")]
        tap.equal(read, [5], "agents whose counters were read")
    tap.equal(violations(), 0)
    exporter.end()


# A sanitizer's weft does not run beside the library of one.
if not os.environ.get("WEFT_SANITIZER_LIBRARY"):
    def test_a_virtual_function_asks_by_its_own_table():
        table(i0="0x8005", i3="0x0000", i6="0xffff")
        nodes = [tap.weft(), "sa", "--ca", "weft0", "--json", "nodes"]
        done = LAB.done((ASKER, 1), *nodes)
        tap.equal((done.returncode, done.stdout), (3, ""), done.stderr)
        tap.contains(done.stderr, "weft0 port 1 is no member of the default partition")
        LAB.ctl("vf", ASKER, 1, "pkey", 2, 6)
        done = LAB.done((ASKER, 1), *nodes)
        tap.succeeds(done, hint=fabric_lab.tail(LAB.daemon.said()))
        tap.equal(json.loads(done.stdout)["silent"], 0)


def test_a_port_outside_the_default_partition_is_told_so():
    table(i0="0x8005", i3="0x0000", i6="0x0000")
    for verb, words in (("sa", ("nodes",)), ("counters", ()), ("exporter", ("--once",))):
        done = weft(verb, *words)
        tap.equal((done.returncode, done.stdout), (3, ""), verb)
        tap.contains(done.stderr, f"{ASKER} port 1 of {LAB.socket} is no member of the default "
                                  "partition")
        tap.contains(done.stderr, GUID)


if __name__ == "__main__":
    with fabric_lab.weft(SPEC, "--vfs", "1") as LAB:
        LAB.opensm(SM)
        tap.main(globals())
