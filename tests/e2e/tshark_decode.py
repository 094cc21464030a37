#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""tshark and weft decode the same capture: every field that both know must have the same value."""
import functools
import ipaddress
import json
import os
import pathlib
import zlib

import tap

# For each header of ours the prefix of tshark's names, and for each field the rest of its name.
FIELDS = {
    "link": ("infiniband", {
        "vl": "lrh.vl", "sl": "lrh.sl", "slid": "lrh.slid", "dlid": "lrh.dlid",
        "pkey": "bth.p_key", "src_qp": "deth.srcqp", "dst_qp": "bth.destqp",
        "qkey": "deth.q_key", "psn": "bth.psn"}),
    "grh": ("infiniband.grh", {
        "flow_label": "flowlabel", "traffic_class": "tclass", "hop_limit": "hoplmt",
        "sgid": "sgid", "dgid": "dgid"}),
    "mad": ("infiniband.mad", {
        "base_version": "baseversion", "class": "mgmtclass", "class_version": "classversion",
        "method": "method", "status": "status", "class_specific": "classspecific",
        "tid": "transactionid", "attr_id": "attributeid", "attr_mod": "attributemodifier"}),
    "rmpp": ("infiniband.rmpp", {
        "version": "rmppversion", "type": "rmpptype", "status": "rmppstatus",
        "segment": "segmentnumber"}),
    "smp": ("infiniband.smplid", {"m_key": "mkey"}),
    "smp_directed": ("infiniband.smpdirected", {
        "hop_pointer": "hoppointer", "hop_count": "hopcount",
        "dr_slid": "drslid", "dr_dlid": "drdlid", "initial_path": "initialpath",
        "return_path": "returnpath"}),
    "sa": ("infiniband.sa", {
        "sm_key": "smkey", "attr_offset": "attributeoffset", "component_mask": "componentmask"}),
    "node_info": ("infiniband.nodeinfo", {
        "base_version": "baseversion", "class_version": "classversion", "node_type": "nodetype",
        "num_ports": "numports", "system_image_guid": "systemimageguid",
        "node_guid": "nodeguid", "port_guid": "portguid", "partition_cap": "partitioncap",
        "device_id": "deviceid", "revision": "revision", "local_port": "localportnum",
        "vendor_id": "vendorid"}),
    "node_record": ("infiniband.nodeinfo", {
        "base_version": "baseversion", "class_version": "classversion", "node_type": "nodetype",
        "num_ports": "numports", "system_image_guid": "systemimageguid",
        "node_guid": "nodeguid", "port_guid": "portguid", "partition_cap": "partitioncap",
        "device_id": "deviceid", "revision": "revision", "local_port": "localportnum",
        "vendor_id": "vendorid"}),
    "switch_info": ("infiniband.switchinfo", {
        "linear_fdb_cap": "linearfdbcap", "random_fdb_cap": "randomfdbcap",
        "multicast_fdb_cap": "multicastfdbcap", "linear_fdb_top": "linearfdbtop",
        "default_port": "defaultport", "default_mc_primary_port": "defaultmulticastprimaryport",
        "default_mc_not_primary_port": "defaultmulticastnotprimaryport",
        "life_time": "lifetimevalue", "port_state_change": "portstatechange",
        "optimized_sl_to_vl": "optimizedsltovlmappingprogramming", "lids_per_port": "lidsperport",
        "partition_enforcement_cap": "partitionenforcementcap",
        "inbound_enforcement_cap": "inboundenforcementcap",
        "outbound_enforcement_cap": "outboundenforcementcap",
        "filter_raw_inbound_cap": "filterrawinboundcap",
        "filter_raw_outbound_cap": "filterrawoutboundcap", "enhanced_port_0": "enhancedportzero"}),
    "port_info": ("infiniband.portinfo", {
        "m_key": "m_key", "gid_prefix": "guid", "lid": "lid", "master_sm_lid": "mastersmlid",
        "capability_mask": "capabilitymask", "diag_code": "diagcode",
        "m_key_lease_s": "m_keyleaseperiod", "local_port": "localportnum",
        "link_width_enabled": "linkwidthenabled", "link_width_supported": "linkwidthsupported",
        "link_width_active": "linkwidthactive", "link_speed_supported": "linkspeedsupported",
        "port_state": "portstate", "physical_state": "portphysicalstate",
        "link_down_default": "linkdowndefaultstate", "m_key_protect": "m_keyprotectbits",
        "lmc": "lmc", "link_speed_active": "linkspeedactive",
        "link_speed_enabled": "linkspeedenabled", "neighbor_mtu": "neighbormtu",
        "master_sm_sl": "mastersmsl", "vl_cap": "vlcap", "init_type": "inittype",
        "vl_high_limit": "vlhighlimit", "vl_arb_high_cap": "vlarbitrationhighcap",
        "vl_arb_low_cap": "vlarbitrationlowcap", "init_type_reply": "inittypereply",
        "mtu_cap": "mtucap", "vl_stall_count": "vlstallcount", "hoq_life": "hoqlife",
        "operational_vls": "operationalvls",
        "partition_enforce_in": "partitionenforcementinbound",
        "partition_enforce_out": "partitionenforcementoutbound",
        "filter_raw_in": "filterrawinbound", "filter_raw_out": "filterrawoutbound",
        "m_key_violations": "m_keyviolations", "p_key_violations": "p_keyviolations",
        "q_key_violations": "q_keyviolations", "guid_cap": "guidcap",
        "client_reregister": "clientreregister", "subnet_timeout": "subnettimeout",
        "resp_time": "resptimevalue", "local_physical_errors": "localphyerrors",
        "overrun_errors": "overrunerrors", "max_credit_hint": "maxcredithint",
        "link_round_trip": "linkroundtriplatency"}),
    "notice": ("infiniband.notice", {
        "generic": "isgeneric", "type": "type", "producer": "producertypevendorid",
        "trap": "trapnumberdeviceid", "issuer_lid": "issuerlid", "toggle": "noticetoggle",
        "count": "noticecount"}),
    "inform_info": ("infiniband.informinfo", {
        "gid": "gid", "lid_begin": "lidrangebegin", "lid_end": "lidrangeend",
        "is_generic": "isgeneric", "subscribe": "subscribe", "type": "type",
        "trap": "trapnumberdeviceid", "qpn": "qpn", "resp_time": "resptimevalue",
        "producer": "producertypevendorid"}),
    "path_record": ("infiniband.pathrecord", {
        "dgid": "dgid", "sgid": "sgid", "dlid": "dlid", "slid": "slid",
        "raw_traffic": "rawtraffic", "flow_label": "flowlabel", "hop_limit": "hoplimit",
        "traffic_class": "tclass", "reversible": "reversible", "num_paths": "numbpath",
        "pkey": "p_key", "sl": "sl", "mtu_selector": "mtuselector", "mtu": "mtu",
        "rate_selector": "rateselector", "rate": "rate",
        "life_time_selector": "packetlifetimeselector", "life_time": "packetlifetime",
        "preference": "preference"}),
    "port_counters": ("infiniband.portcounters", {
        "port_select": "portselect", "counter_select": "counterselect",
        "symbol_errors": "symbolerrorcounter",
        "link_error_recovery": "linkerrorrecoverycounter",
        "link_downed": "linkdownedcounter", "rcv_errors": "portrcverrors",
        "rcv_remote_physical_errors": "portrcvremotephysicalerrors",
        "rcv_switch_relay_errors": "portrcvswitchrelayerrors",
        "xmit_discards": "portxmitdiscards",
        "xmit_constraint_errors": "portxmitconstrainterrors",
        "rcv_constraint_errors": "portrcvconstrainterrors",
        "local_link_integrity_errors": "locallinkintegrityerrors",
        "buffer_overrun_errors": "excessivebufferoverrunerrors", "vl15_dropped": "vl15dropped",
        "xmit_data": "portxmitdata", "rcv_data": "portrcvdata",
        "xmit_packets": "portxmitpkts", "rcv_packets": "portrcvpkts"}),
    "port_counters_extended": ("infiniband.portcounters_ext", {
        "port_select": "portselect", "counter_select": "counterselect",
        "xmit_data": "portxmitdata", "rcv_data": "portrcvdata", "xmit_packets": "portxmitpkts",
        "rcv_packets": "portrcvpkts", "unicast_xmit_packets": "portunicastxmitpkts",
        "unicast_rcv_packets": "portunicastrcvpkts",
        "multicast_xmit_packets": "portmulticastxmitpkts",
        "multicast_rcv_packets": "portmulticastrcvpkts"}),
}

# Headers that tshark does not dissect.
UNKNOWN_TO_TSHARK = {"vendor", "class_port_info"}

# Named once here because more than one of our fields, or a part of one, answers to each.
SPECIAL = [
    "_ws.malformed", "frame.time_epoch", "erf.types.type", "erf.rlen", "erf.wlen",
    "infiniband.lrh.pktlen", "infiniband.smpdirected.smpstatus", "infiniband.rmpp.rresptime",
    "infiniband.rmpp.rmppflags", "infiniband.rmpp.payloadlength",
    "infiniband.rmpp.newwindowlast",
]

DATA, ACK = 1, 2


def tshark(capture, names):
    """For each packet the first value of each field, as text; "" where the packet lacks it."""
    command = ["tshark", "-r", str(capture), "-T", "fields", "-E", "occurrence=f",
               "-E", "separator=/t"]
    for name in names:
        command += ["-e", name]
    done = tap.run(command)
    tap.succeeds(done)
    return [dict(zip(names, line.split("\t"))) for line in done.stdout.splitlines()]


@functools.cache
def packets():
    """Pairs of what we say and what tshark says, one a packet, and the packets' bytes."""
    program = pathlib.Path(os.environ["WEFT_BUILD"]) / "tests/e2e/tshark_capture"
    names = {f"{prefix}.{name}" for prefix, table in FIELDS.values() for name in table.values()}
    with tap.scratch() as folder:
        capture = pathlib.Path(folder) / "weft.pcap"
        done = tap.run([program, capture])
        tap.succeeds(done)
        theirs = tshark(capture, sorted(names) + SPECIAL)
        raw = split(capture.read_bytes())
    ours = [json.loads(line) for line in done.stdout.splitlines()]
    tap.equal((len(theirs), len(raw)), (len(ours), len(ours)), "number of packets")
    return list(zip(ours, theirs, raw))


def split(capture):
    """The InfiniBand packets of a pcap file of ERF records, as bytes."""
    found, at = [], 24
    while at < len(capture):
        length = int.from_bytes(capture[at + 8:at + 12], "little")
        found.append(capture[at + 32:at + 16 + length])
        at += 16 + length
    return found


def number(value):
    """A field's value as a number, however either side writes it."""
    if isinstance(value, int):
        return value
    if ":" in value:
        return int(ipaddress.IPv6Address(value))
    if value in ("True", "False"):
        return int(value == "True")
    return int(value, 16) if len(value) > 24 else int(value, 0)


def headers(ours):
    """All headers of a packet with our values."""
    found = {"link": ours["link"], **ours["headers"]}
    if "grh" in ours:
        found["grh"] = ours["grh"]
    return found


def test_tshark_dissects_at_least_twenty_different_mads():
    kinds = set()
    for ours, theirs, _ in packets():
        tap.equal(theirs["_ws.malformed"], "", ours["name"])
        tap.equal(theirs["erf.types.type"], "21", ours["name"])
        rmpp = ours["headers"].get("rmpp", {})
        mad = ours["headers"]["mad"]
        kinds.add((mad["class"], mad["method"], mad["attr_id"], mad["status"],
                   rmpp.get("type"), rmpp.get("flags"), "grh" in ours))
    assert len(kinds) >= 20, kinds


def test_every_field_that_both_know_has_the_same_value():
    compared, problems = set(), []
    for ours, theirs, _ in packets():
        for header, values in headers(ours).items():
            if header in UNKNOWN_TO_TSHARK:
                continue
            prefix, table = FIELDS[header]
            for name, their_name in table.items():
                their_value = theirs[f"{prefix}.{their_name}"]
                if their_value == "":
                    continue
                compared.add((header, name))
                if number(their_value) != number(values[name]):
                    problems.append(f"{ours['name']}: {header}.{name}: we say {values[name]}, "
                                    f"tshark {their_value}")
    problems += [f"{header}.{name} was never compared" for header, (_, table) in FIELDS.items()
                 for name in table if (header, name) not in compared]
    tap.none(problems)


def test_tshark_sees_every_header_that_we_see():
    missing = []
    for ours, theirs, _ in packets():
        for header in headers(ours).keys() - UNKNOWN_TO_TSHARK:
            prefix, table = FIELDS[header]
            if all(theirs[f"{prefix}.{name}"] == "" for name in table.values()):
                missing.append((ours["name"], header))
    # It reads no RMPP header in vendor classes.
    tap.equal(missing, [("vendor class with OUI", "rmpp")], "headers that tshark does not see")


def test_lengths_and_times():
    for ours, theirs, raw in packets():
        grh = 40 if "grh" in ours else 0
        tap.equal(len(raw), 290 + grh, ours["name"])
        tap.equal(theirs["erf.wlen"], str(290 + grh), ours["name"])
        tap.equal(theirs["erf.rlen"], str(306 + grh), ours["name"])
        tap.equal(theirs["infiniband.lrh.pktlen"], str((288 + grh) // 4), ours["name"])
        seconds, nanoseconds = theirs["frame.time_epoch"].split(".")
        tap.equal(int(seconds) * 10**9 + int(nanoseconds), ours["link"]["time_ns"], ours["name"])


def test_directed_status_and_direction():
    # tshark shows the 16 bits together.
    seen = set()
    for ours, theirs, _ in packets():
        smp = ours["headers"].get("smp_directed")
        if smp:
            seen.add(smp["direction"])
            tap.equal(number(theirs["infiniband.smpdirected.smpstatus"]),
                      smp["direction"] << 15 | number(smp["status"]), ours["name"])
    tap.equal(seen, {0, 1}, "directions")


def test_rmpp_response_time_flags_and_last_word():
    # tshark splits the byte of RRespTime (5 bits) and flags (3 bits) into halves.
    types = set()
    for ours, theirs, _ in packets():
        rmpp = ours["headers"].get("rmpp")
        if not rmpp or theirs["infiniband.rmpp.rmppflags"] == "":
            continue
        tap.equal(number(theirs["infiniband.rmpp.rresptime"]) << 4 |
                  number(theirs["infiniband.rmpp.rmppflags"]),
                  rmpp["resp_time"] << 3 | number(rmpp["flags"]), ours["name"])
        types.add(rmpp["type"])
        last_word = {DATA: "infiniband.rmpp.payloadlength", ACK: "infiniband.rmpp.newwindowlast"}
        if rmpp["type"] in last_word:
            tap.equal(number(theirs[last_word[rmpp["type"]]]), rmpp["length_or_window"],
                      ours["name"])
    tap.equal(types, {0, 1, 2, 3, 4}, "RMPP types")


def test_invariant_crc():
    # The bits that a switch or, with a GRH, a router may change count as ones (IBA 7.8.1).
    # tshark shows no checksum behind a MAD.
    for ours, _, raw in packets():
        masked, bth = bytearray(raw[:-6]), 8
        if "grh" in ours:
            bth = 48
            masked[0:8] = b"\xff" * 8
            masked[8] |= 0x0F
            masked[9:12] = b"\xff" * 3
            masked[15] = 0xFF
        masked[0] |= 0xF0
        masked[bth + 4] = 0xFF
        tap.equal(raw[-6:-2], zlib.crc32(masked).to_bytes(4, "little"), ours["name"])


tap.main(globals())
