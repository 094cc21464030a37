#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Tools on a fabric that loses packets: their own timeouts and retries work as on a real one."""
import time

import fabric_lab
import fabric_net
import tap

SPEC = "fat-tree:hosts=324,radix=36"
NET = fabric_net.Net(fabric_lab.topology(SPEC))
HOSTS, SWITCHES = NET.hosts(), NET.switches()
SM, TOOLS = HOSTS[0].id, HOSTS[1].id
LAB = None
MANAGER = None


def test_20_percent_loss_at_one_leaf_leaves_no_hole():
    # The leaf's agent loses; a tool that tries each MAD four times misses one in 625 there.
    leaf = HOSTS[-1].cables[1][0]
    LAB.ctl("loss", "20%", "on", "agent", leaf)
    try:
        for attempt in range(10):
            found = fabric_net.Net(LAB.run(TOOLS, "ibnetdiscover", "-t", "50"))
            tap.equal(len(found.nodes), len(NET.nodes), f"nodes in run {attempt}")
    finally:
        LAB.ctl("clear")


def test_a_node_that_does_not_answer_costs_its_timeout_and_is_named():
    mute = HOSTS[-1]
    LAB.ctl("loss", "100%", "on", "agent", mute.id)
    try:
        began = time.monotonic()
        done = LAB.done(TOOLS, "ibnetdiscover", "-t", "100")
        took = time.monotonic() - began
        found = fabric_net.Net(done.stdout)
        tap.equal(set(NET.nodes) - set(found.nodes), {mute.id}, "nodes missing")
        # Four tries of 100 ms; the tool names a node by the way to it.
        assert took >= 0.4, f"it took {took:.3f} s"
        tap.contains(done.stderr, f",{mute.cables[1][1]} Attr 0x11:0) bad status 110")
        MANAGER.sweep()
        tap.contains(MANAGER.text(), f"of node:{mute.name}", "OpenSM's log")
    finally:
        LAB.ctl("clear")
    MANAGER.sweep()
    tap.equal(fabric_net.Net(LAB.run(TOOLS, "ibnetdiscover")).shape(), NET.shape())


def test_a_dead_node_is_a_link_that_is_down():
    dead = HOSTS[-1]
    times = MANAGER.times_up()
    LAB.ctl("node", dead.id, "dead")
    MANAGER.wait_up(times=times + 1)
    found = fabric_net.Net(LAB.run(TOOLS, "ibnetdiscover"))
    tap.equal(set(NET.nodes) - set(found.nodes), {dead.id}, "nodes missing")
    LAB.ctl("node", dead.id, "alive")
    MANAGER.wait_up(times=times + 2)
    tap.equal(fabric_net.Net(LAB.run(TOOLS, "ibnetdiscover")).shape(), NET.shape())


if __name__ == "__main__":
    with fabric_lab.weft(SPEC) as LAB:
        MANAGER = LAB.opensm(SM)
        tap.main(globals())
