#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Unmodified OpenSM brings fabrics up: every port has its LID, every link is Active."""
import re

import fabric_lab
import fabric_net
import tap

LINKS = re.compile(r"==\(.*?(\w+)/ *(\w+)\)==>")
# Dumps in the tree that are no trees of whole pods; each is started as it is.
DUMPS = ("clean", "full", "grouping", "missing_guids", "names", "ports_129", "routers", "terminal")


def checks_all(lab, node, text):
    """What ibnetdiscover and iblinkinfo see is the topology, with LIDs and all links Active."""
    wanted = fabric_net.Net(text)
    found = fabric_net.Net(lab.run(node, "ibnetdiscover"))
    tap.equal(found.shape(), wanted.shape(), "nodes and cables")
    lids = [lid for _, _, lid in found.ends()]
    assert all(lids), "a port has no LID"
    tap.equal(len(set(lids)), len(lids), "different LIDs")
    states = LINKS.findall(lab.run(node, "iblinkinfo", "-l"))
    ends = [state for state in states if state == (fabric_lab.ACTIVE, fabric_lab.LINK_UP)]
    tap.equal(len(ends), 2 * len(wanted.cables()), "ends of links that are Active")
    for end in found.hosts()[-3:]:
        known = lab.port(end.id, min(end.lids))
        tap.equal((known["state"], known["lid"]), ("Active", str(end.lid())), "the daemon's word")
    return found


def comes_up(text, *options, lab_options=()):
    """Starts a fabric and OpenSM on its first host; a tool on the last host checks the result."""
    hosts = fabric_net.Net(text).hosts()
    with tap.scratch() as folder:
        path = f"{folder}/net"
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        with fabric_lab.weft(path, *lab_options) as lab:
            manager = lab.opensm(hosts[0].id, *options)
            checks_all(lab, hosts[-1].id, text)
            manager.must_live()
            tap.equal(manager.errors(), [], "errors in OpenSM's log")


def test_36_hosts():
    comes_up(fabric_lab.topology("fat-tree:hosts=36,radix=36"))


def test_324_hosts():
    comes_up(fabric_lab.topology("fat-tree:hosts=324,radix=36"))


def test_four_levels():
    comes_up(fabric_lab.topology("fat-tree:hosts=32,radix=4"))


def test_a_torus():
    comes_up(fabric_lab.topology("torus:x=4,y=4,z=2,hosts=2"))


def test_a_dragonfly():
    comes_up(fabric_lab.topology("dragonfly:a=4,p=2,h=2"))


def test_dumps():
    for name in DUMPS:
        done = tap.run([tap.weft(), "topology", "convert",
                        str(tap.ROOT / f"tests/data/topology/{name}.topo")])
        try:
            comes_up(done.stdout)
        except AssertionError as problem:
            raise AssertionError(f"{name}: {problem}") from problem


def test_the_example():
    comes_up((tap.ROOT / "examples/fat-tree-324.topo").read_text(encoding="utf-8"))


def test_routing_engines():
    text = fabric_lab.topology("fat-tree:hosts=72,radix=12")
    for engine in ("minhop", "updn", "ftree"):
        comes_up(text, "-R", engine)


def test_any_number_of_SMPs_on_the_wire():
    text = fabric_lab.topology("fat-tree:hosts=324,radix=36")
    for number in ("1", "256", "0"):
        comes_up(text, "-n", number)


def test_LIDs_of_the_dump_are_kept_by_option():
    # OpenSM honours LIDs that it finds, unless -r tells it not to.
    text = (tap.ROOT / "tests/data/topology/clean.topo").read_text(encoding="utf-8")
    wanted = {node.id: node.lids for node in fabric_net.Net(text).nodes.values()}
    with fabric_lab.weft(tap.ROOT / "tests/data/topology/clean.topo", "--keep-lids") as lab:
        host = fabric_net.Net(text).hosts()[0].id
        lab.opensm(host)
        found = fabric_net.Net(lab.run(host, "ibnetdiscover"))
        tap.equal({node.id: node.lids for node in found.nodes.values()}, wanted, "LIDs")


def test_a_fabric_that_begins_up_needs_no_OpenSM():
    text = fabric_lab.topology("fat-tree:hosts=36,radix=12")
    with fabric_lab.weft("fat-tree:hosts=36,radix=12", "--up") as lab:
        checks_all(lab, fabric_net.Net(text).hosts()[5].id, text)


if __name__ == "__main__":
    tap.main(globals())
