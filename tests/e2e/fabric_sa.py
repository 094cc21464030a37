#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""saquery, unmodified, gets whole tables of every record type from OpenSM through weft's RMPP."""
import os
import re

import fabric_lab
import fabric_net
import tap

SPEC = os.environ.get("FABRIC_SPEC", "fat-tree:hosts=324,radix=36")
NET = fabric_net.Net(fabric_lab.topology(SPEC))
HOSTS = NET.hosts()
SWITCHES = NET.switches()
CABLES = NET.cables()
SM, TOOLS = HOSTS[0].id, HOSTS[-1].id
# How long the tool waits for one answer: of large tables OpenSM needs that.
TIMEOUT_MS = "60000"
LAB = None
FOUND = None
# What is asked of a large fabric: it takes OpenSM and the tool most of their time.
OF_LARGE = ("test_node_records", "test_port_info_records", "test_link_records", "test_LFT_records")


def query(*words):
    """The records that a query gives."""
    return fabric_net.records(LAB.run(TOOLS, "saquery", "-t", TIMEOUT_MS, "--smkey", "1", *words))


def lids():
    return {lid for _, _, lid in FOUND.ends()}


def test_node_records():
    got = query("NR")
    wanted = sorted((lid, f"0x{node.guid():016x}", f"0x{node.port_guids[port]:016x}", node.name)
                    for node, port, lid in FOUND.ends())
    tap.equal(sorted((int(one["lid"]), one["node_guid"], one["port_guid"],
                      one["NodeDescription"]) for one in got), wanted)
    tap.equal(len(query()), len(wanted), "the default query")


def test_port_info_records():
    got = query("PIR")
    tap.equal(len(got), len(HOSTS) + sum(node.ports + 1 for node in SWITCHES))
    pairs = {(one["EndPortLid"], one["PortNum"]) for one in got}
    tap.equal(len(pairs), len(got), "different ports")
    tap.equal({int(one["Lid"]) for one in got} - {0}, lids(), "LIDs of the ports")


def test_link_records():
    wanted = set()
    for one, other in CABLES:
        for (node, port), (peer, peer_port) in ((one, other), (other, one)):
            wanted.add((FOUND.nodes[node].lid(), port, peer_port, FOUND.nodes[peer].lid()))
    for words in (("LR",), ("-x",)):
        got = [tuple(int(one[name]) for name in ("FromLID", "FromPort", "ToPort", "ToLID"))
               for one in query(*words)]
        tap.equal(len(got), len(wanted), "number of records")
        tap.equal(set(got), wanted, "links")


def test_LFT_records():
    text = LAB.run(TOOLS, "saquery", "-t", TIMEOUT_MS, "LFTR")
    parts = re.split(r"^LFT Record dump:\n", text, flags=re.M)[1:]
    blocks = max(lids()) // 64 + 1
    tap.equal(len(parts), blocks * len(SWITCHES))
    rows = {}
    for part in parts:
        switch = int(re.search(r"LID\.+(\d+)", part)[1])
        for lid, port in re.findall(r"^\s+(\d+)\t(\d+)\s*$", part, flags=re.M):
            rows[switch, int(lid)] = int(port)
    # Each host's leaf leads to it by the port that it is cabled to.
    for host in FOUND.hosts():
        switch, port = host.cables[1]
        tap.equal(rows[FOUND.nodes[switch].lid(), host.lid()], port, host.name)


def test_switch_info_and_SM_info_records():
    tap.equal(sorted(int(one["LID"]) for one in query("SWIR")),
              sorted(node.lid() for node in FOUND.switches()))
    got = query("SMIR")
    tap.equal([(one["LID"], one["SMState"]) for one in got],
              [(str(FOUND.nodes[SM].lid()), "3")])


def test_GUID_info_and_P_Key_records():
    got = query("GIR")
    zero = {int(one["LID"]): int(one["GUID 0"], 16) for one in got if one["Block"] == "0"}
    tap.equal(zero, {lid: node.port_guids[port] for node, port, lid in FOUND.ends()})
    got = query("PKTR")
    tap.equal({int(one["LID"]) for one in got}, lids())
    tap.equal(len({(one["LID"], one["Port"], one["Block"]) for one in got}), len(got))
    with_cable = {(FOUND.nodes[node].lid(), port) for node, node_of in FOUND.nodes.items()
                  for port in node_of.cables}
    assert with_cable <= {(int(one["LID"]), int(one["Port"])) for one in got}, "a port lacks"


def test_SL2VL_and_VL_arbitration_records():
    got = query("SL2VL")
    of_hosts = {node.lid() for node in FOUND.hosts()}
    tap.equal({int(one["LID"]) for one in got}, lids())
    tap.equal(sum(int(one["LID"]) in of_hosts for one in got), len(of_hosts), "one of each host")
    tap.equal({int(one["LID"]) for one in query("VLAR")}, lids())


def test_tables_that_are_empty_or_short():
    for words in (("SR",), ("-S",), ("IIR",), ("-I",), ("MFTR",)):
        tap.equal(query(*words), [], " ".join(words))
    for words in (("MCMR",), ("-g",)):
        text = LAB.run(TOOLS, "saquery", *words)
        tap.contains(text, "ff12:401b:ffff::ffff:ffff")
    tap.contains(LAB.run(TOOLS, "saquery", "-m"), "Mlid....................0xC000")
    for words in (("CPI",), ("-c",)):
        tap.contains(LAB.run(TOOLS, "saquery", *words), "Class version............2")
    got = query("-s")
    tap.equal([one["base_lid"] for one in got], [str(FOUND.nodes[SM].lid())], "IsSM")


def test_names_GUIDs_and_LIDs_are_found():
    node = HOSTS[7]
    lid = str(FOUND.nodes[node.id].lid())
    for option, argument, wanted in (("-L", node.name, lid), ("-l", node.name, lid),
                                     ("-O", lid, node.name),
                                     ("-G", node.name, f"0x{node.port_guids[1]:016x}"),
                                     ("-U", f"0x{node.port_guids[1]:016x}", node.name)):
        tap.equal(LAB.run(TOOLS, "saquery", "-t", TIMEOUT_MS, option, argument).strip(), wanted,
                  option)
    text = LAB.run(TOOLS, "saquery", "-t", TIMEOUT_MS, "--list")
    listed = re.findall(r'^\s*(\d+)\s+"(.+)"', text, flags=re.M)
    tap.equal(sorted(listed), sorted((str(node.lid()), node.name) for node in FOUND.hosts()))


def test_one_path_by_names_LIDs_and_GIDs():
    source, goal = FOUND.nodes[HOSTS[1].id], FOUND.nodes[HOSTS[-2].id]
    wanted = (str(source.lid()), str(goal.lid()))
    for words in (("--src-to-dst", f"{source.name}:{goal.name}"),
                  ("--src-to-dst", f"{source.lid()}:{goal.lid()}"),
                  ("--slid", source.lid(), "--dlid", goal.lid())):
        got = query("-p", *words)
        tap.equal([(one["slid"], one["dlid"]) for one in got], [wanted], str(words))
    got = query("-p", "--slid", source.lid())
    tap.equal(sorted(int(one["dlid"]) for one in got), sorted(lids()), "paths from one port")


def gid(node, port):
    guid = f"{node.port_guids[port]:016x}"
    return [0xFE80, 0, 0, 0, *(int(guid[at:at + 4], 16) for at in range(0, 16, 4))]


def words_of(text):
    """A GID's eight words, from the short notation of IPv6."""
    left, _, right = text.partition("::")
    head = [int(word, 16) for word in left.split(":") if word]
    rest = [int(word, 16) for word in right.split(":") if word]
    return head + [0] * (8 - len(head) - len(rest)) + rest


def test_all_path_records():
    text = LAB.run(TOOLS, "saquery", "-p", "-t", TIMEOUT_MS, timeout=120)
    ends = FOUND.ends()
    tap.equal(text.count("PathRecord dump:"), len(ends) ** 2)
    by_lid = {str(lid): gid(node, port) for node, port, lid in ends}
    seen = set()
    for dgid, sgid, dlid, slid in re.findall(
            r"dgid\.+(\S+)\n\s*sgid\.+(\S+)\n\s*dlid\.+(\d+)\n\s*slid\.+(\d+)\n", text):
        seen.add((slid, dlid))
        if len(seen) % 101 == 0:
            tap.equal((words_of(sgid), words_of(dgid)), (by_lid[slid], by_lid[dlid]), "GIDs")
    tap.equal(len(seen), len(ends) ** 2, "different pairs of LIDs")
    tap.equal(text.count("pkey....................0xFFFF"), len(ends) ** 2, "P_Keys")


if __name__ == "__main__":
    with fabric_lab.weft(SPEC) as LAB:
        LAB.opensm(SM)
        FOUND = fabric_net.Net(LAB.run(TOOLS, "ibnetdiscover"))
        tap.main({name: value for name, value in globals().items()
                  if len(HOSTS) <= 324 or name in OF_LARGE})
