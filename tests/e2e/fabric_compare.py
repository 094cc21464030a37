#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The same tools on weft and on ibsim, the same topology, the same OpenSM: equal answers, but for
the differences that docs/compat.md explains."""
import re

import fabric_lab
import fabric_net
import tap

SPEC = "fat-tree:hosts=36,radix=12"
TEXT = fabric_lab.topology(SPEC)
NET = fabric_net.Net(TEXT)
HOSTS = NET.hosts()
SM, TOOLS, PEER = HOSTS[0].id, HOSTS[1].id, HOSTS[20].id
WEFT = IBSIM = None
FOUND = None

def lid(node_id):
    return str(FOUND.nodes[node_id].lid())


def both(*command):
    """What a command prints on both, when it succeeds there."""
    return WEFT.run(TOOLS, *command), IBSIM.run(TOOLS, *command)


def equal(*command, clean=lambda text: text):
    """A command prints the same on both, once cleaned."""
    ours, theirs = both(*command)
    tap.equal(clean(ours).splitlines(), clean(theirs).splitlines(), " ".join(command))


def differs(fields, *command):
    """A command that prints fields: exactly these have other values or are on one side only."""
    ours, theirs = (fabric_net.fields(text) for text in both(*command))
    other = {name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name)}
    tap.equal(other, set(fields), f"fields of {' '.join(command)} that differ\n"
              f"  weft  { {name: ours.get(name) for name in other} }\n"
              f"  ibsim { {name: theirs.get(name) for name in other} }\n")


def without(*patterns):
    """Leaves out the lines that match."""
    def clean(text):
        return "\n".join(line for line in text.splitlines()
                         if not any(re.search(pattern, line) for pattern in patterns))
    return clean


def test_ibnetdiscover():
    equal("ibnetdiscover", clean=without("^# Topology file: generated"))
    for option in ("-l", "-H", "-S", "-R", "-p"):
        equal("ibnetdiscover", option)


def test_lists_of_nodes():
    for command in ("ibhosts", "ibswitches", "ibrouters", "ibnodes"):
        equal(command)


def test_iblinkinfo():
    equal("iblinkinfo", clean=lambda text: re.sub(r" \(.*Could be.*?\)$", "", text, flags=re.M))


def test_ibqueryerrors():
    equal("ibqueryerrors")


def test_routes():
    equal("dump_lfts")
    equal("ibroute", "-D", "0,1")
    equal("ibtracert", lid(SM), lid(PEER))
    equal("ibtracert", lid(PEER), lid(TOOLS))


def test_sminfo():
    equal("sminfo", clean=lambda text: re.sub(r"activity count \d+", "", text))


def test_smpquery_of_nodes():
    equal("smpquery", "nodedesc", lid(SM))
    switch = NET.nodes[TOOLS].cables[1][0]
    for address in (lid(SM), lid(switch)):
        differs({"PartCap"}, "smpquery", "nodeinfo", address)


if __name__ == "__main__":
    with fabric_lab.weft(SPEC) as WEFT, fabric_lab.ibsim(TEXT) as IBSIM:
        for lab in (WEFT, IBSIM):
            lab.opensm(SM)
        FOUND = fabric_net.Net(IBSIM.run(TOOLS, "ibnetdiscover"))
        tap.main(globals())
