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
SWITCH, SWITCH_PORT = NET.nodes[TOOLS].cables[1]
WEFT = IBSIM = None
FOUND = None
# Fields of PortInfo in which ports are of another make, and those that ibsim does not keep.
MAKE = {"LinkWidthSupported", "LinkSpeedExtSupported", "MtuCap", "NeighborMTU", "VLArbHighCap",
        "VLArbLowCap"}
FORGOTTEN = {"LocalPhysErr", "OverrunErr", "MkeyLeasePeriod", "SubnetTimeout", "HoqLife"}
# weft counts as well what finds no route while routes are written; ibsim counts no such packet.
COUNTED = {"PortXmitData", "PortRcvData", "PortXmitPkts", "PortRcvPkts",
           "PortRcvSwitchRelayErrors"}


def lid(node_id):
    return str(FOUND.nodes[node_id].lid())


def both(*command):
    """What a command prints on both, when it succeeds there."""
    return WEFT.run(TOOLS, *command), IBSIM.run(TOOLS, *command)


def equal(*command, clean=lambda text: text):
    """A command prints the same on both, once cleaned."""
    ours, theirs = both(*command)
    tap.equal(clean(ours).splitlines(), clean(theirs).splitlines(), " ".join(command))


def equal_failures(*command):
    """A command fails on both, with equal exit codes."""
    codes = [lab.done(TOOLS, *command).returncode for lab in (WEFT, IBSIM)]
    assert codes[0] == codes[1] != 0, (command, codes)


def only_weft(*command, refused=""):
    """A command that succeeds on weft alone, or is refused (not ignored) there alone."""
    ours, theirs = (lab.done(TOOLS, *command) for lab in (WEFT, IBSIM))
    if refused:
        assert ours.returncode != 0 and theirs.returncode == 0, (command, ours, theirs)
        tap.contains(ours.stdout + ours.stderr, refused)
    else:
        tap.succeeds(ours)
        assert theirs.returncode != 0, (command, theirs.stdout)


def differs(fields, *command):
    """A command that prints fields: exactly these have other values or are on one side only."""
    ours, theirs = (fabric_net.fields(text) for text in both(*command))
    other = {name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name)}
    values = {name: (ours.get(name), theirs.get(name)) for name in other ^ set(fields)}
    assert not values, f"fields of {' '.join(command)}, weft's and ibsim's: {values}"


def without(*patterns):
    """Leaves out the lines that match."""
    def clean(text):
        return "\n".join(line for line in text.splitlines()
                         if not any(re.search(pattern, line) for pattern in patterns))
    return clean


def test_the_topology_that_tools_see_is_the_same():
    equal("ibnetdiscover", clean=without("^# Topology file: generated", "^vendid=", "^devid="))
    for option in ("-l", "-H", "-S", "-R"):
        equal("ibnetdiscover", option,
              clean=lambda text: re.sub(r"(devid|vendid) 0x\w+", r"\1", text))
    for command in (("ibnetdiscover", "-p"), ("ibhosts",), ("ibswitches",), ("ibrouters",),
                    ("ibnodes",), ("ibidsverify",), ("ibaddr",), ("ibstat", "-p")):
        equal(*command)


def test_links_and_errors_are_the_same():
    equal("iblinkinfo", clean=lambda text: re.sub(r" \([^()]*\)$", "", text, flags=re.M))
    equal("ibqueryerrors")
    equal("ibqueryerrors", "--details", "--data")


def test_routes_are_the_same():
    equal("dump_lfts")
    equal("ibroute", "-D", "0,1")
    equal("ibroute", lid(SWITCH))
    for start, goal in ((SM, PEER), (PEER, TOOLS), (SWITCH, PEER)):
        equal("ibtracert", lid(start), lid(goal))
    cleaned = without("^Multicast mlids")
    equal("dump_mfts", clean=cleaned)
    equal("ibroute", "-M", lid(SWITCH), clean=cleaned)


def test_queries_that_give_the_same():
    equal("sminfo", clean=lambda text: re.sub(r"activity count \d+", "", text))
    for node in (SM, SWITCH):
        equal("smpquery", "nodedesc", lid(node))
    equal("smpquery", "-D", "nodedesc", "0,1")
    equal("smpquery", "guidinfo", lid(SM))
    equal("smpquery", "mlnxextportinfo", lid(SM))
    for words in ((lid(SWITCH), SWITCH_PORT), (lid(SWITCH), 0), (lid(SM),)):
        equal("smpquery", "sl2vl", *map(str, words))
    for words in (("CPI",), ("-c",), ("MCMR",), ("-g",), ("-m",), ("SR",), ("IIR",), ("MFTR",)):
        equal("saquery", *words)
    equal("saquery", "SMIR", clean=without("ActCount"))
    for option in ("-E", "-D"):
        equal("perfquery", option)
    differs({"mtu"}, "saquery", "-p", "--src-to-dst", f"{lid(SM)}:{lid(PEER)}")


def test_what_fails_on_both():
    for command in (("smpquery", "switchinfo", lid(SM)),
                    ("smpquery", "-t", "50", "nodeinfo", "4000"),
                    ("ibroute", lid(SM)), ("ibroute", "-M", lid(SM)),
                    ("ibtracert", lid(SM), "4000"),
                    ("ibtracert", "-m", "0xc000", lid(SM), lid(PEER)), ("perfquery", lid(SM)),
                    ("vendstat", "-N", lid(SWITCH)), ("saquery", "PKTR"), ("ibstat", "nothere")):
        equal_failures(*command)


def test_ibsim_devices_are_of_no_make():
    make = {"DevId", "VendorId", "Revision", "PartCap"}
    differs(make, "smpquery", "nodeinfo", lid(SM))
    differs(make, "smpquery", "nodeinfo", lid(SWITCH))
    differs(make, "smpquery", "-D", "nodeinfo", "0,1")
    differs({"LinearFdbCap", "McastFdbCap", "PartEnforceCap", "FilterRawInbound",
             "FilterRawOutbound", "InboundPartEnf", "OutboundPartEnf"},
            "smpquery", "switchinfo", lid(SWITCH))
    ours, theirs = (re.findall(r"LowCap (\d+) HighCap (\d+)", text)
                    for text in both("smpquery", "vlarb", lid(SWITCH), str(SWITCH_PORT)))
    tap.equal((ours, theirs), ([("64", "64")], [("8", "8")]), "VL arbitration entries")


def test_ibsim_forgets_parts_of_PortInfo():
    end_port = {"CapMask", "CapabilityMask2", "RespTimeVal"}
    differs(MAKE | FORGOTTEN | end_port, "smpquery", "portinfo", lid(SM))
    # OpenSM has set both bits of enforcement towards a host.
    differs(MAKE | {"LocalPhysErr", "OverrunErr", "PartEnforceInb", "PartEnforceOutb"},
            "smpquery", "portinfo", lid(SWITCH), str(SWITCH_PORT))
    differs(MAKE | {"LocalPhysErr", "OverrunErr"},
            "smpquery", "portinfo", lid(SWITCH), "12")


def test_ibsim_shows_an_adapter_of_its_own():
    def shown(lab):
        return dict(re.findall(r"^\s*([A-Za-z ]+): (.+)$", lab.run(TOOLS, "ibstat"), flags=re.M))

    ours, theirs = shown(WEFT), shown(IBSIM)
    tap.equal({name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name)},
              {"CA type", "Firmware version", "Hardware version", "Rate", "Capability mask",
               "Link layer"})
    tap.equal((ours["Rate"], theirs["Rate"]), ("100", "104"), "rate of 4x EDR")


def test_ibsim_counts_as_many_packets_out_as_in():
    # The manager's host has sent tables of many packets, and got few.
    for command in (("perfquery",), ("perfquery", lid(SWITCH), str(SWITCH_PORT)),
                    ("perfquery", lid(SM), "1")):
        ours, theirs = (fabric_net.fields(text) for text in both(*command))
        other = {name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name)}
        assert other <= COUNTED, f"{command}: {other}"
        out, into = (int(theirs[name]) for name in ("PortXmitPkts", "PortRcvPkts"))
        assert abs(out - into) <= out / 50, (command, out, into)


def test_ibsim_has_no_extended_error_counters():
    ours, theirs = (fabric_net.fields(text) for text in both("perfquery", "-x"))
    assert "SymbolErrorCounter" in ours and "SymbolErrorCounter" not in theirs
    unicast = [int(one["PortUnicastRcvPkts"]) for one in (ours, theirs)]
    assert unicast[0] > 0 == unicast[1], unicast


def test_ibsim_answers_what_it_does_not_have():
    only_weft("ibccquery", "CongestionInfo", lid(SM), refused="failed")


def test_ibsim_knows_no_combined_routes():
    only_weft("ibportstate", lid(SWITCH), str(SWITCH_PORT), "query")
    only_weft("smpquery", "-c", "nodeinfo", lid(SWITCH), f"0,{SWITCH_PORT}")


def test_ibsim_cuts_tables():
    for words, whole, cut in ((("NR",), 45, 1), (("LR",), 144, 25), (("PR",), 45 * 45, 3)):
        ours, theirs = (len(fabric_net.records(text))
                        for text in both("saquery", "-t", "20000", *words))
        tap.equal((ours, theirs), (whole, cut), " ".join(words))
    ours, theirs = both("saquery", "-L", HOSTS[3].name)
    tap.equal((ours.strip(), theirs.strip()), (lid(HOSTS[3].id), ""), "a LID by name")


def test_ibsim_carries_no_requests_to_programs():
    name = fabric_lab.read("/proc/sys/kernel/hostname").strip()
    for lab in (WEFT, IBSIM):
        lab.spawn(PEER, "ibsysstat", "-S", name="ibsysstat")
    fabric_lab.wait_until(
        lambda: name in WEFT.done(TOOLS, "ibsysstat", lid(PEER), "host").stdout, "an answer")
    assert name not in IBSIM.done(TOOLS, "ibsysstat", lid(PEER), "host").stdout


if __name__ == "__main__":
    # ibsim keeps the LIDs of its file.
    with fabric_lab.weft(SPEC, "--keep-lids") as WEFT, fabric_lab.ibsim(TEXT) as IBSIM:
        for one in (WEFT, IBSIM):
            one.opensm(SM)
        FOUND = fabric_net.Net(IBSIM.run(TOOLS, "ibnetdiscover"))
        tap.main(globals())
