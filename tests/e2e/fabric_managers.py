#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Two OpenSMs, traps and what follows, partitions, and ports that change under a client."""
import os
import re
import signal
import struct

import fabric_lab
import fabric_net
import fabric_protocol
import tap

SPEC = "fat-tree:hosts=36,radix=12"
NET = fabric_net.Net(fabric_lab.topology(SPEC))
HOSTS = NET.hosts()
FIRST, SECOND, TOOLS, PEER = HOSTS[0], HOSTS[10], HOSTS[1], HOSTS[20]
# A manager that looks often whether its master lives.
POLL = "sminfo_polling_timeout 100\npolling_retry_number 2\n"


def master(lab, node=TOOLS):
    """The port GUID of the SM that sminfo finds, 0 while there is none."""
    done = lab.done(node.id, "sminfo")
    found = re.search(r"sm guid (0x[0-9a-f]+),.*SMINFO_MASTER", done.stdout)
    return int(found[1], 16) if found else 0


def config(lab, text, name):
    path = lab.folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def guid(node):
    return node.port_guids[1]


def until_master(lab, node, *hint):
    fabric_lab.wait_until(lambda: master(lab) == guid(node), f"{node.name} is master",
                          hint=lambda: "\n".join(fabric_lab.tail(one.text()) for one in hint))


def test_mastership_goes_to_the_standby_when_the_master_is_killed_and_back_by_priority():
    with fabric_lab.weft(SPEC) as lab:
        options = ("-F", config(lab, POLL, "poll.conf"))
        first = lab.opensm(FIRST.id, "-p", "5", *options)
        second = lab.opensm(SECOND.id, "-p", "2", *options, up=False)
        second.wait_for("Entering STANDBY state")
        tap.equal(master(lab), guid(FIRST))
        found = fabric_net.Net(lab.run(TOOLS.id, "ibnetdiscover"))
        tap.contains(lab.run(TOOLS.id, "sminfo", found.nodes[SECOND.id].lid()),
                     "priority 2 state 2 SMINFO_STANDBY")
        first.end(signal.SIGKILL)
        second.wait_for("Entering MASTER state")
        second.wait_up()
        until_master(lab, SECOND, second)
        third = lab.opensm(FIRST.id, "-p", "5", *options)
        second.wait_for("Entering STANDBY state", times=2)
        until_master(lab, FIRST, second, third)
        second.must_live()
        third.must_live()


def test_links_going_down_and_up_are_told_by_traps_and_swept():
    with fabric_lab.weft(SPEC) as lab:
        manager = lab.opensm(FIRST.id)
        switch, port = PEER.cables[1]
        times = manager.times_up()
        lab.ctl("link", f"{switch}/{port}", "down")
        manager.wait_up(times=times + 1)
        # Trap 128 is of a switch, which says that the state of a link has changed.
        fabric_lab.wait_until(lambda: "num:128" in manager.text(), "trap 128 in the log",
                              hint=lambda: fabric_lab.tail(manager.text()))
        found = fabric_net.Net(lab.run(TOOLS.id, "ibnetdiscover"))
        assert PEER.id not in found.nodes, "a node behind a dead link is still there"
        tap.contains(manager.text(), f"GID:fe80::{guid(PEER) >> 48:x}:", "GID out of service")
        lab.ctl("link", f"{switch}/{port}", "up")
        manager.wait_up(times=times + 2)
        fabric_lab.wait_until(
            lambda: fabric_net.Net(lab.run(TOOLS.id, "ibnetdiscover")).shape() == NET.shape(),
            "the node is back")
        fabric_lab.wait_until(
            lambda: "State: Active" in lab.run(PEER.id, "ibstat"), "its port is Active",
            hint=lambda: fabric_lab.tail(manager.text()))


def test_a_bad_key_is_told_by_a_trap_that_OpenSM_reads_as_it_was_meant():
    with fabric_lab.weft(SPEC) as lab:
        manager = lab.opensm(FIRST.id)
        ends = [int(lab.port(node.id, 1)["lid"]) for node in (TOOLS, PEER)]
        with fabric_protocol.Client(str(lab.socket), node=TOOLS.id) as c:
            mad = struct.pack(">BBBBHHQHHI", 1, 4, 1, 1, 0, 0, c.tid_first << 32 | 1, 0x12, 0, 0)
            route = fabric_protocol.ROUTE.pack(0, ends[1], *[0] * 4, 1, 1, 0xABCD, *[0] * 7,
                                               b"", b"")
            c.send(fabric_protocol.PACKET, route + mad.ljust(256, b"\0"))
            manager.wait_for(f"Bad Q_Key:0xabcd on SL:0 from LID1:{ends[0]} QP1:0x1 "
                             f"to LID2:{ends[1]} QP2:0x1")


def keys(lab, node):
    """P_Keys of a host's port, without empty entries."""
    text = lab.run(node.id, "smpquery", "-D", "pkeys", "0", 1)
    return {int(key, 16) for key in re.findall(r"0x([0-9a-f]{4})\b", text)} - {0}


def test_partitions_arrive_in_the_P_Key_tables():
    with fabric_lab.weft(SPEC) as lab:
        full, limited, none = HOSTS[4], HOSTS[5], HOSTS[6]
        path = config(lab, "Default=0x7fff, ipoib: ALL=limited, SELF=full;\n"
                           f"storage=0x1234: 0x{guid(full):x}=full, 0x{guid(limited):x}=limited;\n",
                      "partitions.conf")
        manager = lab.opensm(FIRST.id, "-P", path)
        tap.equal(keys(lab, FIRST), {0xFFFF}, "the manager")
        tap.equal(keys(lab, full), {0x7FFF, 0x9234}, "a full member")
        tap.equal(keys(lab, limited), {0x7FFF, 0x1234}, "a limited member")
        tap.equal(keys(lab, none), {0x7FFF}, "a host outside")
        # The switch's port to the member enforces the same keys.
        switch, port = full.cables[1]
        found = fabric_net.Net(lab.run(FIRST.id, "ibnetdiscover"))
        text = lab.run(FIRST.id, "smpquery", "pkeys", found.nodes[switch].lid(), port)
        tap.contains(text, "0x9234", "keys of the switch's port")
        # A limited member reaches the SA by its limited key; members of other partitions do not.
        tap.contains(lab.run(limited.id, "saquery", "--smkey", "1", "SMIR"), "SMInfoRecord dump")
        manager.must_live()


class Watch:
    """What a program on a node sees of its port, while it runs."""

    def __init__(self, lab, node):
        self.program = lab.spawn(node.id, os.environ["FABRIC_CLIENT"], "watch", name="watch")

    def lines(self):
        return self.program.said().splitlines()

    def wait(self, *words):
        def there():
            self.program.must_live()
            return any(all(word in line for word in words) for line in self.lines())

        fabric_lab.wait_until(there, f"the client sees {' and '.join(words)}",
                              hint=self.program.said)


def test_a_client_sees_its_port_come_up_and_change():
    with fabric_lab.weft(SPEC) as lab:
        node = HOSTS[7]
        watch = Watch(lab, node)
        watch.wait("lid 0 ", "state 2 ", "physical 5")
        options = ("-F", config(lab, POLL, "poll.conf"))
        first = lab.opensm(FIRST.id, *options)
        found = fabric_net.Net(lab.run(TOOLS.id, "ibnetdiscover"))
        lid, sm = found.nodes[node.id].lid(), found.nodes[FIRST.id].lid()
        watch.wait(f"lid {lid} ", f"sm {sm} ", "state 4 ")
        # Another LID, given by hand.
        switch, port = node.cables[1]
        lab.run(TOOLS.id, "ibportstate", lid, 1, "lid", 1000)
        watch.wait("lid 1000 ")
        # Another SM: the standby takes over.
        second = lab.opensm(SECOND.id, *options, up=False)
        second.wait_for("Entering STANDBY state")
        first.end(signal.SIGKILL)
        second.wait_for("Entering MASTER state")
        watch.wait(f"sm {found.nodes[SECOND.id].lid()} ")
        # The link goes down.
        lab.ctl("link", f"{switch}/{port}", "down")
        watch.wait("state 1 ")
        tap.equal(watch.program.end(), 0, watch.program.said())


def test_a_new_manager_asks_clients_to_register_again():
    with fabric_lab.weft(SPEC) as lab:
        node = HOSTS[7]

        def asked():
            return int(lab.port(node.id, 1)["reregisters"])

        tap.equal(asked(), 0, "before an SM is there")
        first = lab.opensm(FIRST.id)
        once = asked()
        assert once > 0, "the first SM has not asked"
        first.sweep()
        tap.equal(asked(), once, "a sweep asks nobody again")
        first.end()
        lab.opensm(SECOND.id)
        assert asked() > once, "the second SM has not asked"


def test_the_managers_port_has_IsSM_as_long_as_it_runs():
    with fabric_lab.weft(SPEC) as lab:
        watch = Watch(lab, FIRST)
        watch.wait("issm 0")
        manager = lab.opensm(FIRST.id)
        watch.wait("issm 1")
        manager.end(signal.SIGKILL)
        fabric_lab.wait_until(lambda: watch.lines()[-1].endswith("issm 0"), "IsSM is cleared",
                              hint=watch.program.said)


if __name__ == "__main__":
    tap.main(globals())
