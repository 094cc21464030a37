#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Each tool of infiniband-diags gives the right answers on weft's fabric, under OpenSM."""
import os
import re

import fabric_lab
import fabric_net
import tap

SPEC = "fat-tree:hosts=36,radix=12"
NET = fabric_net.Net(fabric_lab.topology(SPEC))
SWITCHES = len(NET.switches())
HOSTS = NET.hosts()
SM, TOOLS, PEER = HOSTS[0].id, HOSTS[1].id, HOSTS[20].id
# LIDs as ibnetdiscover has found them, once OpenSM is done.
FOUND = None
LAB = None
MANAGER = None


def run(*command):
    return LAB.run(TOOLS, *command)


def lid(node_id):
    return FOUND.nodes[node_id].lid()


def leaf():
    """The switch of the node that tools run on, and the port it is cabled to."""
    return FOUND.nodes[TOOLS].cables[1]


def fails(node, *command):
    """Runs a tool that cannot succeed; it must say so, and in good time."""
    done = LAB.done(node, *command, timeout=20)
    assert done.returncode != 0, f"{command} succeeded:\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def test_ibstat_and_ibaddr_show_the_live_port():
    got = dict(re.findall(r"^\s*([A-Za-z ]+): (.+)$", run("ibstat"), flags=re.M))
    node = FOUND.nodes[TOOLS]
    wanted = {"Node GUID": f"0x{node.guid():016x}", "Port GUID": f"0x{node.port_guids[1]:016x}",
              "Number of ports": "1", "State": "Active", "Physical state": "LinkUp",
              "Rate": "100", "Base lid": str(node.lid()), "LMC": "0", "SM lid": str(lid(SM)),
              "Link layer": "InfiniBand"}
    tap.equal({name: got.get(name) for name in wanted}, wanted, "ibstat")
    tap.equal(run("ibstat", "-p"), f"0x{node.port_guids[1]:016x}\n")
    tap.contains(run("ibaddr"), f"LID start 0x{node.lid():x} end 0x{node.lid():x}")
    name = run("ibstat", "-l").strip()
    tap.contains(run("ibstat", name, "1"), "State: Active")
    fails(TOOLS, "ibstat", "nothere")


def test_ibnetdiscover_sees_the_topology():
    tap.equal(FOUND.shape(), NET.shape())
    listed = re.findall(r"(0x[0-9a-f]{16}) ports", run("ibnetdiscover", "-l"))
    tap.equal(sorted(int(guid, 16) for guid in listed),
              sorted(node.guid() for node in NET.nodes.values()), "ibnetdiscover -l")
    ports = run("ibnetdiscover", "-p").splitlines()
    joined = [line for line in ports if " - " in line]
    tap.equal(len(joined), 2 * len(NET.cables()), "ends of cables in ibnetdiscover -p")
    for outstanding in ("1", "64", "512"):
        tap.equal(fabric_net.Net(run("ibnetdiscover", "-o", outstanding)).shape(), NET.shape())


def test_ibhosts_ibswitches_ibrouters_and_ibnodes_list_their_kind():
    def guids(text):
        return sorted(int(guid, 16) for guid in re.findall(r": (0x[0-9a-f]{16}) ports", text))

    hosts = sorted(node.guid() for node in HOSTS)
    switches = sorted(node.guid() for node in NET.switches())
    tap.equal(guids(run("ibhosts")), hosts)
    tap.equal(guids(run("ibswitches")), switches)
    tap.equal(guids(run("ibrouters")), [])
    tap.equal(guids(run("ibnodes")), sorted(hosts + switches))


def test_iblinkinfo_shows_both_ends_of_each_cable():
    text = run("iblinkinfo", "-l")
    ends = re.findall(r"(\d+)\[.*?\] ==\( +4X +25\.78125 Gbps Active/ +LinkUp\)==> +(0x\w+) +"
                      r"(\d+) +(\d+)\[", text)
    tap.equal(len(ends), 2 * len(NET.cables()))
    down = [line for line in text.splitlines() if "Polling" in line]
    spare = sum(node.ports - len(node.cables) for node in NET.nodes.values())
    tap.equal(len(down), spare, "ports without a cable")


def test_sminfo_by_every_way():
    guid = f"0x{FOUND.nodes[SM].port_guids[1]:x}"
    switch, port = FOUND.nodes[SM].cables[1]
    assert switch == leaf()[0], "the manager is a neighbour"
    # By directed route the tool prints LID 0.
    for address, number in (((), lid(SM)), ((lid(SM),), lid(SM)), (("-D", f"0,1,{port}"), 0)):
        tap.equal(re.sub(r"count \d+", "count", run("sminfo", *address)),
                  f"sminfo: sm lid {number} sm guid {guid}, activity count priority 0 "
                  "state 3 SMINFO_MASTER\n", f"sminfo {address}")
    # Where no SM runs, nobody knows the attribute.
    fails(TOOLS, "sminfo", lid(PEER))


def same_by_every_way(operation, node_id, path, *words):
    """A query by LID, GUID, directed route and combined route; gives its fields."""
    node = FOUND.nodes[node_id]

    def ask(*address):
        got = fabric_net.fields(run("smpquery", *address, *words))
        # The port that the request came in by is not the same.
        got.pop("LocalPort", None)
        return got

    by_lid = ask(operation, node.lid())
    tap.equal(ask("-D", operation, path), by_lid, "by directed route")
    tap.equal(ask("-G", operation, f"0x{min(node.port_guids.values()):x}"), by_lid, "by GUID")
    return by_lid


def test_smpquery_nodeinfo_and_nodedesc():
    switch, port = leaf()
    node = NET.nodes[switch]
    got = same_by_every_way("nodeinfo", switch, "0,1")
    wanted = {"BaseVers": "1", "ClassVers": "1", "NodeType": "Switch", "NumPorts": "12",
              "Guid": f"0x{node.guid():016x}", "PortGuid": f"0x{node.guid():016x}"}
    tap.equal({name: got[name] for name in wanted}, wanted)
    got = fabric_net.fields(run("smpquery", "-D", "nodeinfo", "0,1"))
    tap.equal(got["LocalPort"], str(port), "the port that the request came in by")
    node = NET.nodes[SM]
    got = same_by_every_way("nodeinfo", SM, f"0,1,{node.cables[1][1]}")
    wanted = {"NodeType": "Channel Adapter", "NumPorts": "1",
              "Guid": f"0x{node.guid():016x}", "PortGuid": f"0x{node.port_guids[1]:016x}"}
    tap.equal({name: got[name] for name in wanted}, wanted)
    got = same_by_every_way("nodedesc", SM, f"0,1,{node.cables[1][1]}")
    tap.equal(got, {"Node Description": node.name})


def test_smpquery_portinfo_of_every_kind_of_port():
    switch, port = leaf()
    zero = same_by_every_way("portinfo", switch, "0,1", 0)
    wanted = {"Lid": str(lid(switch)), "SMLid": str(lid(SM)), "LinkState": "Active"}
    tap.equal({name: zero[name] for name in wanted}, wanted, "port 0")
    cabled = same_by_every_way("portinfo", switch, "0,1", port)
    wanted = {"LinkState": "Active", "PhysLinkState": "LinkUp", "LinkWidthActive": "4X",
              "LinkSpeedExtActive": "25.78125 Gbps", "OperVLs": "VL0-7"}
    tap.equal({name: cabled[name] for name in wanted}, wanted, "a port with a cable")
    own = same_by_every_way("portinfo", TOOLS, "0", 1)
    wanted = {"Lid": str(lid(TOOLS)), "SMLid": str(lid(SM)), "LinkState": "Active",
              "LinkWidthActive": "4X", "LMC": "0", "GidPrefix": "0xfe80000000000000"}
    tap.equal({name: own[name] for name in wanted}, wanted, "the own port")
    sm = run("smpquery", "portinfo", lid(SM))
    tap.contains(sm, "IsSM\n", "the manager's port")
    assert "IsSM\n" not in run("smpquery", "portinfo", lid(TOOLS)), "IsSM where no SM is"
    fails(TOOLS, "smpquery", "portinfo", lid(switch), 200)
    # With the modifier's bit of extended speeds.
    tap.contains(run("smpquery", "-x", "portinfo", lid(TOOLS)), "LinkSpeedExtActive")


def test_smpquery_switchinfo():
    switch, _ = leaf()
    got = same_by_every_way("switchinfo", switch, "0,1")
    top = max(number for _, _, number in FOUND.ends())
    wanted = {"LinearFdbCap": "49151", "LinearFdbTop": str(top), "StateChange": "0"}
    tap.equal({name: got[name] for name in wanted}, wanted)
    fails(TOOLS, "smpquery", "switchinfo", lid(SM))


def test_smpquery_pkeys():
    switch, port = leaf()
    for address in ((lid(TOOLS),), (lid(switch), 0), (lid(switch), port)):
        text = run("smpquery", "pkeys", *address)
        keys = re.findall(r"0x([0-9a-f]{4})\b", text)
        capacity = int(re.search(r"(\d+) pkeys capacity", text)[1])
        tap.equal(len(keys), capacity, f"keys of {address}")
        tap.equal([key for key in keys if key != "0000"], ["ffff"], f"keys of {address}")


def test_smpquery_sl2vl_vlarb_and_guids():
    switch, port = leaf()
    text = run("smpquery", "sl2vl", lid(switch), port)
    tap.equal(len(re.findall(r"^ports: in", text, flags=re.M)), NET.nodes[switch].ports + 1)
    tap.equal(len(re.findall(r"^ports: in", run("smpquery", "sl2vl", lid(TOOLS)), flags=re.M)), 1)
    for address in ((lid(switch), port), (lid(TOOLS),)):
        text = run("smpquery", "vlarb", *address)
        tap.contains(text, "# Low priority VL Arbitration Table")
        tap.contains(text, "# High priority VL Arbitration Table")
    guids = run("smpquery", "guidinfo", lid(TOOLS))
    tap.contains(guids, f"0x{FOUND.nodes[TOOLS].port_guids[1]:016x}")


def test_smpquery_of_a_vendors_attribute():
    # Devices of this vendor have it, and say here that they have no FDR10.
    got = fabric_net.fields(run("smpquery", "mlnxextportinfo", lid(TOOLS)))
    tap.equal(got["LinkSpeedSupported"], "0x00")


def test_smpquery_by_combined_route():
    switch, port = FOUND.nodes[PEER].cables[1]
    got = fabric_net.fields(run("smpquery", "-c", "nodeinfo", lid(switch), f"0,{port}"))
    tap.equal(got["PortGuid"], f"0x{FOUND.nodes[PEER].port_guids[1]:016x}")


def test_smpdump_shows_the_same_bytes():
    switch, _ = leaf()
    got = re.findall(r"[0-9a-f]{4}", run("smpdump", lid(switch), "0x11"))
    data = bytes.fromhex("".join(got))
    tap.equal(data[12:20], NET.nodes[switch].guid().to_bytes(8, "big"), "NodeGUID")


def counters(*address):
    return fabric_net.fields(run("perfquery", *address))


def test_perfquery_counts_the_fabrics_own_traffic():
    switch, port = leaf()
    before = counters("-x", lid(switch), port)
    for _ in range(5):
        run("smpquery", "nodeinfo", lid(SM))
    after = counters("-x", lid(switch), port)
    grown = {name: int(after[name]) - int(before[name])
             for name in ("PortXmitPkts", "PortRcvPkts", "PortXmitData", "PortRcvData")}
    for name in ("PortXmitPkts", "PortRcvPkts"):
        assert grown[name] >= 5, f"{name} grew by {grown[name]} over 5 queries"
    for name in ("PortXmitData", "PortRcvData"):
        assert grown[name] >= 5 * 64, f"{name} grew by {grown[name]} words over 5 queries"


def test_perfquery_of_own_port_other_port_all_ports_and_a_list():
    switch, _ = leaf()
    tap.equal(counters()["PortSelect"], "1", "the own port")
    tap.equal(counters(lid(SM), 1)["PortSelect"], "1", "another CA")
    every = counters("-a", lid(switch))
    tap.equal(every["PortSelect"], "255", "all ports of a switch")
    each = run("perfquery", "-l", lid(switch), "1-12")
    tap.equal(re.findall(r"^PortSelect:\.+(\d+)", each, flags=re.M),
              [str(number) for number in range(1, 13)])
    total = sum(int(packets) for packets in re.findall(r"^PortXmitPkts:\.+(\d+)", each, flags=re.M))
    assert total >= int(every["PortXmitPkts"]) > 0, (total, every["PortXmitPkts"])
    fails(TOOLS, "perfquery", lid(switch), 200)
    fails(TOOLS, "perfquery", lid(SM), 2)


def test_perfquery_reads_what_a_script_has_set_and_resets_it():
    switch, _ = leaf()
    name = NET.nodes[switch].name
    LAB.ctl("counter", f"{name}/7", "SymbolErrorCounter", "set", 65534)
    LAB.ctl("counter", f"{name}/7", "LinkDownedCounter", "set", 3)
    got = counters(lid(switch), 7)
    tap.equal((got["SymbolErrorCounter"], got["LinkDownedCounter"]), ("65534", "3"))
    LAB.ctl("counter", f"{name}/7", "SymbolErrorCounter", "add", 100)
    tap.equal(counters(lid(switch), 7)["SymbolErrorCounter"], "65535", "sticks at all ones")
    # -r shows and then resets; -R resets by a mask of counters.
    run("perfquery", "-R", lid(switch), 7, "0x4")
    got = counters(lid(switch), 7)
    tap.equal((got["SymbolErrorCounter"], got["LinkDownedCounter"]), ("65535", "0"))
    tap.equal(counters("-r", lid(switch), 7)["SymbolErrorCounter"], "65535")
    tap.equal(counters(lid(switch), 7)["SymbolErrorCounter"], "0")
    LAB.ctl("counter", f"{name}/7", "SymbolErrorCounter", "set", 9)
    run("perfquery", "-R", "-a", lid(switch))
    tap.equal(counters(lid(switch), 7)["SymbolErrorCounter"], "0", "after -R -a")
    # The counters of 64 bits are a set of their own, and ibqueryerrors looks at that.
    run("perfquery", "-x", "-R", lid(switch), 7)


def test_optional_counters_are_refused_not_ignored():
    for option in ("-X", "-S", "-c", "-T", "--xmitcc"):
        said = fails(TOOLS, "perfquery", option)
        assert "timed out" not in said, f"{option}: {said}"


def test_ibqueryerrors_checks_all_and_names_what_is_wrong():
    switch, _ = leaf()
    name = NET.nodes[switch].name
    text = run("ibqueryerrors")
    tap.contains(text, f"{len(NET.nodes)} nodes checked, 0 bad nodes found")
    LAB.ctl("counter", f"{name}/8", "SymbolErrorCounter", "set", 77)
    done = LAB.done(TOOLS, "ibqueryerrors", "--data", "--details")
    tap.contains(done.stdout, "[SymbolErrorCounter == 77 ")
    tap.contains(done.stdout, f"{len(NET.nodes)} nodes checked, 1 bad nodes found")
    LAB.done(TOOLS, "ibqueryerrors", "--clear-errors")
    tap.contains(run("ibqueryerrors"), f"{len(NET.nodes)} nodes checked, 0 bad nodes found")


def routes():
    """What dump_lfts says: {switch GUID: {LID: port}}."""
    tables = {}
    for line in run("dump_lfts").splitlines():
        head = re.search(r"Unicast lids .* guid (0x[0-9a-f]+)", line)
        row = re.match(r"(0x[0-9a-f]{4}) (\d{3}) :", line)
        if head:
            table = tables[int(head[1], 16)] = {}
        elif row:
            table[int(row[1], 16)] = int(row[2])
    return tables


def test_dump_lfts_leads_from_everywhere_to_everywhere():
    tables = routes()
    tap.equal(sorted(tables), sorted(node.guid() for node in NET.switches()))
    for start in NET.switches():
        for goal, _, number in FOUND.ends():
            at, hops = start, 0
            while at.id != goal.id:
                assert at.kind == "Switch" and hops < 6, f"{start.name} to {goal.name} fails"
                at = FOUND.nodes[at.cables[tables[at.guid()][number]][0]]
                hops += 1


def test_ibroute_is_the_switchs_part_of_dump_lfts():
    switch, _ = leaf()
    rows = re.findall(r"^(0x[0-9a-f]{4}) (\d{3}) :", run("ibroute", lid(switch)), flags=re.M)
    tap.equal({int(number, 16): int(port) for number, port in rows},
              routes()[NET.nodes[switch].guid()])
    tap.equal(re.findall(r"^(0x[0-9a-f]{4}) (\d{3}) :", run("ibroute", "-D", "0,1"), flags=re.M),
              rows, "by directed route")
    fails(TOOLS, "ibroute", lid(SM))


def test_ibtracert_goes_along_cables():
    text = run("ibtracert", lid(SM), lid(PEER))
    steps = re.findall(r"^\[(\d+)\] -> (?:switch|ca|.*?) ?port \{(0x[0-9a-f]+)\}\[(\d+)\] lid",
                       text, flags=re.M)
    at = FOUND.nodes[SM]
    for out, guid, into in steps:
        peer, port = at.cables[int(out)]
        at = FOUND.nodes[peer]
        tap.equal((port, int(guid, 16)), (int(into), at.port_guids.get(port, at.guid())))
    tap.equal(at.id, PEER, text)


def test_members_of_a_group_are_in_the_MFTs():
    members = [HOSTS[3].id, HOSTS[30].id]
    joined = [LAB.spawn(node, os.environ["FABRIC_CLIENT"], "join") for node in members]
    try:
        for program in joined:
            fabric_lab.wait_until(lambda said=program.said: "mlid 0xc000" in said(), "joined",
                                  hint=program.said)
        leaves = [FOUND.nodes[node].cables[1] for node in members]

        def programmed():
            text = run("dump_mfts")
            parts = {int(part[1], 16): part[2] for part in
                     re.finditer(r"guid (0x[0-9a-f]+) (.*?)\d+ valid mlids", text, flags=re.S)}
            return all("0xc000" in parts[NET.nodes[switch].guid()] for switch, _ in leaves)

        fabric_lab.wait_until(programmed, "the leaves have entries in their MFTs")
        text = run("ibtracert", "-m", "0xc000", lid(members[0]), lid(members[1]))
        tap.contains(text, HOSTS[30].name)
        tap.contains(run("saquery", "MFTR"), "MFT Record dump")
        text = run("saquery", "--smkey", "1", "-m")
        for node in members:
            tap.contains(text, NET.nodes[node].name, "members")
    finally:
        for program in joined:
            tap.equal(program.end(), 0, program.said())


def link_of(node_id):
    """State and physical state of a host's link, as its leaf sees it."""
    switch, port = NET.nodes[node_id].cables[1]
    got = fabric_net.fields(run("smpquery", "portinfo", lid(switch), port))
    return got["LinkState"], got["PhysLinkState"]


def test_ibportstate_asks_both_ends_by_a_combined_route():
    switch, port = FOUND.nodes[PEER].cables[1]
    text = run("ibportstate", lid(switch), port, "query")
    own, peer = text.split("Peer PortInfo:")
    tap.equal(fabric_net.fields(own)["LinkState"], "Active")
    tap.equal(fabric_net.fields(peer)["Lid"], str(lid(PEER)))
    tap.equal(fabric_net.fields(run("ibportstate", lid(SM), 1))["Lid"], str(lid(SM)))
    text = run("ibportstate", "-D", "0,1", port, "query")
    tap.contains(text, "Peer PortInfo:")


def test_ibportstate_disables_enables_and_resets():
    switch, port = FOUND.nodes[PEER].cables[1]
    run("ibportstate", lid(switch), port, "disable")
    tap.equal(link_of(PEER), ("Down", "Disabled"))
    fails(TOOLS, "smpquery", "-t", "100", "nodeinfo", lid(PEER))
    run("ibportstate", lid(switch), port, "enable")
    # The switch's trap makes OpenSM sweep, and that makes the link Active again.
    fabric_lab.wait_until(lambda: link_of(PEER) == ("Active", "LinkUp"), "enabled",
                          hint=lambda: fabric_lab.tail(MANAGER.text()))
    run("ibportstate", lid(switch), port, "reset")
    fabric_lab.wait_until(lambda: link_of(PEER) == ("Active", "LinkUp"), "reset",
                          hint=lambda: fabric_lab.tail(MANAGER.text()))
    MANAGER.must_live()


def pings(server, client):
    """ibping with its server on one node and its client on another."""
    program = LAB.spawn(server, "ibping", "-S", name="ibping")
    try:
        def answered():
            program.must_live()
            done = LAB.done(client, "ibping", "-c", "3", "-f", lid(server))
            return "3 packets transmitted, 3 received, 0% packet loss" in done.stdout

        fabric_lab.wait_until(answered, "three pings are answered", hint=program.said)
    finally:
        program.end()


def test_ibping_both_ways():
    pings(PEER, TOOLS)
    pings(TOOLS, PEER)


def test_ibping_to_the_manager_ends_in_an_error_and_does_not_end_OpenSM():
    done = LAB.done(TOOLS, "ibping", "-c", "2", "-f", lid(SM))
    tap.contains(done.stdout + done.stderr, "2 packets transmitted")
    MANAGER.must_live()
    run("sminfo")


def test_a_node_without_a_program_refuses_what_it_is_asked():
    # An error is no answer to ibping, and any answer is one to ibsysstat.
    done = LAB.done(TOOLS, "ibping", "-c", "2", "-f", lid(PEER))
    tap.contains(done.stdout, "2 packets transmitted, 0 received, 100% packet loss")
    done = LAB.done(TOOLS, "ibsysstat", lid(PEER), "ping")
    tap.contains(done.stdout, "sysstat ping succeeded")


def test_ibsysstat_both_ways():
    name = fabric_lab.read("/proc/sys/kernel/hostname").strip()
    for server, client in ((PEER, TOOLS), (TOOLS, PEER)):
        program = LAB.spawn(server, "ibsysstat", "-S", name="ibsysstat")
        try:
            # Its ping succeeds with whatever answer, also that of a node without a server.
            ask = ("ibsysstat", lid(server), "host")
            fabric_lab.wait_until(
                lambda node=client, command=ask: name in LAB.done(node, *command).stdout,
                "ibsysstat tells its host", hint=program.said)
            tap.contains(LAB.run(client, "ibsysstat", lid(server)), "ping succeeded")
            tap.contains(LAB.run(client, "ibsysstat", lid(server), "cpu"), "cpu")
            program.must_live()
        finally:
            program.end()


def test_classes_that_nobody_has_are_refused_not_ignored():
    for command in (("vendstat", "-N", lid(leaf()[0])), ("ibccquery", "CongestionInfo", lid(SM)),
                    ("ibccquery", "SwitchCongestionSetting", lid(leaf()[0]))):
        done = LAB.done(TOOLS, *command, timeout=20)
        assert done.returncode != 0, (command, done.stdout)
        assert "timed out" not in done.stdout + done.stderr, (command, done.stderr)


def test_ibidsverify_finds_no_doubles():
    tap.equal(run("ibidsverify"), "")


if __name__ == "__main__":
    with fabric_lab.weft(SPEC) as LAB:
        MANAGER = LAB.opensm(SM)
        FOUND = fabric_net.Net(LAB.run(TOOLS, "ibnetdiscover"))
        tap.main(globals())
