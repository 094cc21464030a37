# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What weft and the kernel say on the wire, as weft and tshark read it; and the kernel's log."""
import json
import re

import iwarp_lab
import line
import tap

# What tshark calls a field, and where ours stands in an FPDU.
FIELDS = {
    "iwarp_mpa.ulpdulength": lambda f: f["ulpdu_bytes"],
    "iwarp_rdma.opcode": lambda f: f["opcode"],
    "iwarp_ddp.last_flag": lambda f: int(f["last"]),
    "iwarp_ddp.stag": lambda f: f.get("stag"),
    "iwarp_ddp.tagged_offset": lambda f: int(f["to"], 0) if "to" in f else None,
    "iwarp_ddp.qn": lambda f: f.get("queue"),
    "iwarp_ddp.msn": lambda f: f.get("msn"),
    "iwarp_ddp.mo": lambda f: f.get("mo"),
    "iwarp_rdma.rdmardsz": lambda f: f["read"]["bytes"] if "read" in f else None,
}
WRITE, READ_REQUEST, READ_RESPONSE, SEND, TERMINATE = 0, 1, 2, 3, 7


def tell_all(lab):
    """Connections of every kind; how many there are, and how many are broken by a turned bit."""
    port = lab.rping_server()
    lab.ping(count=2, size=4096, crc="on").right(2)
    lab.ping(count=2, size=4096).right(2)
    for kind in ("write", "read"):
        lab.ping(count=1, p2p=kind, crc="on").right(1)
    lab.ping("--markers", count=1).failed("rejected")
    with lab.server(crc="on") as server:
        status, said = lab.rping(server.port, count=2, size=4096).wait()
        tap.equal(status, 0, said)

    def spoil_second(direction, number, frame):
        return line.flipped(frame) if (direction, number) == (line.TO_SERVER, 1) else frame

    with line.Line(port, spoil_second) as wire:
        lab.ping(port=wire.port, count=1, crc="on").failed()
    return 7, 1


def by_direction(rows):
    """(connection, direction) -> field -> values in their order."""
    told = {}
    for connection, direction, values in rows:
        fields = told.setdefault((connection, direction), {name: [] for name in FIELDS})
        for name, found in values.items():
            fields[name] += found
    return told


def weft_reads(path):
    """The document, and what it says of FPDUs; a connection is called by the initiator's port."""
    done = tap.run([tap.weft(), "trace", "decode", "--json", str(path)])
    assert done.returncode in (iwarp_lab.DONE, iwarp_lab.PART), done.stderr
    document = json.loads(done.stdout)
    ports = {c["connection"]: int(c["initiator"].rpartition(":")[2])
             for c in document["connections"]}
    rows = []
    for record in document["records"]:
        if record["type"] == "fpdu":
            values = {name: [value] for name, get in FIELDS.items()
                      if (value := get(record["fpdu"])) is not None}
            rows.append((ports[record["connection"]], record["from"], values))
    return document, by_direction(rows)


def tshark_reads(path, ports):
    """What tshark says of FPDUs, and its CRC verdicts."""
    words = ["tshark", "-r", str(path), "-o", "tcp.reassemble_out_of_order:TRUE", "-Y", "iwarp_mpa",
             "-T", "fields", "-E", "separator=;", "-E", "aggregator=,", "-e", "tcp.srcport", "-e",
             "tcp.dstport"]
    for name in FIELDS:
        words += ["-e", name]
    done = tap.run(words)
    tap.succeeds(done)
    rows = []
    for text in done.stdout.splitlines():
        source, target, *cells = text.split(";")
        connection = int(source) if int(source) in ports else int(target)
        direction = "initiator" if connection == int(source) else "responder"
        values = {name: [int(value, 0) for value in cell.split(",") if value]
                  for name, cell in zip(FIELDS, cells)}
        if values["iwarp_rdma.opcode"]:
            rows.append((connection, direction, values))
    shown = tap.run(["tshark", "-r", str(path), "-Y", "iwarp_mpa", "-O", "iwarp_mpa"])
    tap.succeeds(shown)
    return by_direction(rows), len(re.findall(r"CRC.*Bad", shown.stdout)), \
        len(re.findall(r"CRC.*Good", shown.stdout))


def test_tshark_and_weft_read_the_same_in_both_directions(lab):
    lab.siw()
    with lab.capturing() as path:
        connections, broken = tell_all(lab)
    document, ours = weft_reads(path)
    tap.equal(len(document["connections"]), connections, "connections with the guest")
    ports = {int(c["initiator"].rpartition(":")[2]) for c in document["connections"]}
    theirs, bad, good = tshark_reads(path, ports)
    tap.equal(sorted(ours), sorted(theirs), "directions with FPDUs")
    for key, fields in ours.items():
        for name, values in fields.items():
            tap.equal(theirs[key][name], values, f"{name} of {key}")
    crcs = [record["fpdu"]["crc"] for record in document["records"] if record["type"] == "fpdu"]
    tap.equal((crcs.count("bad"), crcs.count("ok")), (bad, good), "verdicts on CRCs")
    tap.equal(bad, broken, "CRCs that were broken")
    opcodes = {record["fpdu"]["opcode"] for record in document["records"]
               if record["type"] == "fpdu"}
    tap.equal(opcodes, {WRITE, READ_REQUEST, READ_RESPONSE, SEND, TERMINATE}, "opcodes seen")


def test_nothing_is_wrong_on_the_wire_but_what_was_broken(lab):
    lab.siw()
    with lab.capturing() as path:
        lab.ping(count=20, size=65535, crc="on").right(20)
        with lab.server() as server:
            status, said = lab.rping(server.port, count=5, size=65535).wait()
            tap.equal(status, 0, said)
    document, _ = weft_reads(path)
    tap.equal((document["errors"], document["missing"]), (0, 0),
              str([r for r in document["records"] if r["problems"]][:5]))
    tap.equal(len(document["connections"]), 2)


def test_the_guests_kernel_has_nothing_to_complain_about(lab):
    tap.equal(lab.complaints(), [])
    tap.contains(lab.guest.run("rdma link"), "siw0/1 state ACTIVE", "rdma link")
