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


def lossy_leaf():
    """A leaf that is not the tools' own."""
    return NET.nodes[HOSTS[-1].cables[1][0]].name


def test_20_percent_loss_at_one_leaf_leaves_no_hole():
    LAB.ctl("loss", lossy_leaf(), "20%")
    try:
        for attempt in range(10):
            # 20 % on the way in and out again, over several hops: the tool's three retries are not
            # enough for each of 2,600 MADs, so it gets some more of them than it has by itself.
            found = fabric_net.Net(LAB.run(TOOLS, "ibnetdiscover", "-t", "20"))
            tap.equal(len(found.nodes), len(NET.nodes), f"nodes in run {attempt}")
    finally:
        LAB.ctl("loss", lossy_leaf(), "0%")


def test_a_dead_node_costs_its_timeout_and_is_named():
    dead = HOSTS[-1]
    LAB.ctl("node", dead.id, "dead")
    try:
        began = time.monotonic()
        done = LAB.done(TOOLS, "ibnetdiscover", "-t", "100")
        took = time.monotonic() - began
        found = fabric_net.Net(done.stdout)
        tap.equal(len(found.nodes), len(NET.nodes) - 1, "nodes")
        assert dead.id not in found.nodes, "the dead node is listed"
        assert took > 0.2, f"it took {took:.3f} s: not even the timeouts"
    finally:
        LAB.ctl("node", dead.id, "alive")
    MANAGER.sweep()
    tap.equal(len(fabric_net.Net(LAB.run(TOOLS, "ibnetdiscover")).nodes), len(NET.nodes))


if __name__ == "__main__":
    with fabric_lab.weft(SPEC) as LAB:
        MANAGER = LAB.opensm(SM)
        tap.main(globals())
