#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""weft trace decode: what it says of captures, and that tshark reads the same in them, field by
field."""
import json
import pathlib
import re
import struct

import tap

import iwarp_capture as wire
from iwarp_capture import SIW, Capture, fpdu, frame, tagged, untagged

EXAMPLE = tap.ROOT / "examples/rping.pcap"


def trace(*words, **options):
    return tap.run([tap.weft(), "trace", *map(str, words)], **options)


def decode(data, *options, code=0):
    """What decode prints of a capture's bytes."""
    with tap.scratch() as folder:
        path = pathlib.Path(folder, "capture")
        path.write_bytes(data)
        done = trace("decode", *options, path)
    assert done.returncode == code, f"exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def document(data, *options, code=0):
    return json.loads(decode(data, "--json", *options, code=code).stdout)


def lines(data, code=0, options=()):
    """The lines of records and problems, without their times."""
    text = decode(data, *options, code=code).stdout
    return [re.sub(r"^\d+\.\d{9} ", "", line) for line in text.splitlines()]


def start(capture, crc=True, **request):
    """A connection that is up."""
    k = capture.connection()
    k.open()
    k.send(frame(wire.REQUEST_KEY, **{"ird": 4, "ord_": 4, **request}))
    k.answer(frame(wire.REPLY_KEY, flags=0x40 if crc else 0, ird=4, ord_=4))
    return k


# What tshark calls a field, and where ours stands in an FPDU.
FPDU_FIELDS = {
    "iwarp_mpa.ulpdulength": lambda f: f["ulpdu_bytes"],
    "iwarp_ddp.tagged_flag": lambda f: int(f["tagged"]),
    "iwarp_ddp.last_flag": lambda f: int(f["last"]),
    "iwarp_ddp.dv": lambda f: f["ddp_version"],
    "iwarp_rdma.version": lambda f: f["rdmap_version"],
    "iwarp_rdma.opcode": lambda f: f["opcode"],
    "iwarp_ddp.stag": lambda f: f.get("stag"),
    "iwarp_ddp.tagged_offset": lambda f: int(f["to"], 0) if "to" in f else None,
    "iwarp_ddp.qn": lambda f: f.get("queue"),
    "iwarp_ddp.msn": lambda f: f.get("msn"),
    "iwarp_ddp.mo": lambda f: f.get("mo"),
    "iwarp_rdma.inval_stag": lambda f: f["invalidate_stag"] if f["opcode"] in (4, 6) else None,
    "iwarp_rdma.sinkstag": lambda f: f["read"]["sink_stag"] if "read" in f else None,
    "iwarp_rdma.sinkto": lambda f: int(f["read"]["sink_to"], 0) if "read" in f else None,
    "iwarp_rdma.rdmardsz": lambda f: f["read"]["bytes"] if "read" in f else None,
    "iwarp_rdma.srcstag": lambda f: f["read"]["source_stag"] if "read" in f else None,
    "iwarp_rdma.srcto": lambda f: int(f["read"]["source_to"], 0) if "read" in f else None,
    "iwarp_rdma.term_layer": lambda f: f["terminate"]["layer"] if "terminate" in f else None,
}
FRAME_FIELDS = {
    "iwarp_mpa.rev": lambda f: f["revision"],
    "iwarp_mpa.crc_flag": lambda f: int(f["crc"]),
    "iwarp_mpa.marker_flag": lambda f: int(f["markers"]),
    "iwarp_mpa.rej_flag": lambda f: int(f["rejected"]),
    # tshark counts the enhanced data as private.
    "iwarp_mpa.pdlength": lambda f: f["private_bytes"] + (4 if f["enhanced"] else 0),
}


def tshark(data, names):
    """The values of each field over all packets, in order."""
    with tap.scratch() as folder:
        path = pathlib.Path(folder, "capture")
        path.write_bytes(data)
        words = ["tshark", "-r", path, "-o", "tcp.reassemble_out_of_order:TRUE", "-Y", "iwarp_mpa",
                 "-T", "fields", "-E", "separator=;", "-E", "aggregator=,"]
        for name in names:
            words += ["-e", name]
        done = tap.run([str(word) for word in words])
    tap.succeeds(done)
    values = {name: [] for name in names}
    for line in done.stdout.splitlines():
        for name, cell in zip(names, line.split(";")):
            values[name] += [int(value, 0) for value in cell.split(",") if value]
    return values


def same_as_tshark(data, fpdus, code=0):
    """Both read the same fields, of this many FPDUs."""
    records = document(data, code=code)["records"]
    ours = {}
    for kind, fields in (("frame", FRAME_FIELDS), ("fpdu", FPDU_FIELDS)):
        found = [r[kind] for r in records if r["type"] == kind]
        for name, get in fields.items():
            ours[name] = [value for value in map(get, found) if value is not None]
    theirs = tshark(data, list(ours))
    tap.equal(len(ours["iwarp_rdma.opcode"]), fpdus, "FPDUs")
    for name, values in ours.items():
        tap.equal(values, theirs[name], name)


def every_kind(capture, crc=True):
    """A connection with every opcode, tagged and untagged, in one and in several segments."""
    k = start(capture, crc)
    for message in (
            untagged(3, 0, 1, b"hello"), untagged(5, 0, 2, b""),
            untagged(4, 0, 3, b"abc", stag=0xABCD), untagged(6, 0, 4, bytes(100), stag=0xFFFFFFFF),
            untagged(3, 0, 5, bytes(64), last=False), untagged(3, 0, 5, b"end", mo=64),
            tagged(0, 0x1000, 2**63, bytes(33), last=False), tagged(0, 0x1000, 2**63 + 33, b"z"),
            wire.read_request(1, (7, 0x10), 300, (9, 2**40)),
            wire.read_request(2, (8, 0x20), 0, (9, 0))):
        k.send(fpdu(message, crc))
    k.answer(fpdu(tagged(2, 7, 0x10, bytes(200), last=False), crc))
    k.answer(fpdu(tagged(2, 7, 0x10 + 200, bytes(100)), crc))
    k.answer(fpdu(tagged(2, 8, 0x20), crc))
    return k


def test_the_example_line_by_line():
    done = trace("decode", EXAMPLE)
    tap.succeeds(done)
    tap.equal(done.stdout.splitlines(), [
        "connection 1: 192.0.2.1:40001 > 192.0.2.2:7174",
        "0.000003000 1 > MPA Request revision=2 ird=1 ord=1",
        "0.000004000 1 < MPA Reply revision=2 crc ird=1 ord=1",
        "0.000004000 1 = agreed crc=on reads=1/1 rtr=none",
        "0.000005000 1 > Send msn=1 mo=0 len=16 last crc=ok",
        "0.000006000 1 < Read Request msn=1 mo=0 read=64 sink=0x4bc39600:0x00007f75bc000e00 "
        "source=0x11223300:0x0000007000000000 last crc=ok",
        "0.000007000 1 > Read Response stag=0x4bc39600 to=0x00007f75bc000e00 len=64 last crc=ok",
        "0.000008000 1 < Send msn=1 mo=0 len=16 last crc=ok",
        "0.000009000 1 > Send msn=2 mo=0 len=16 last crc=ok",
        "0.000010000 1 < Write stag=0x11223301 to=0x0000007000100000 len=64 last crc=ok",
        "0.000011000 1 < Send msn=2 mo=0 len=16 last crc=ok",
        "15 packets, 1 iWARP connection, 0 errors",
    ])


def test_the_example_is_what_siw_and_its_peer_said():
    capture = Capture()
    wire.rping(capture).close()
    tap.equal(capture.bytes(), EXAMPLE.read_bytes())


def test_tshark_reads_the_same_in_the_frames_of_siw():
    same_as_tshark(EXAMPLE.read_bytes(), 7)
    capture = Capture()
    k = capture.connection()
    k.open()
    k.send(SIW["rtr-request"])
    k.answer(frame(wire.REPLY_KEY, flags=0x40, ird=0x8001, ord_=0x8001))
    k.send(SIW["rtr-write"])
    k.answer(SIW["send"])
    same_as_tshark(capture.bytes(), 2)


def test_tshark_reads_the_same_in_every_kind_of_FPDU():
    for crc in (True, False):
        capture = Capture()
        every_kind(capture, crc)
        same_as_tshark(capture.bytes(), 13)


def test_tshark_reads_the_same_over_every_link_and_IP():
    for link in (wire.ETHERNET, wire.SLL, wire.SLL2, wire.RAW, wire.NULL, wire.LOOP):
        for six in (False, True):
            # The numbers of address families are the capturing system's.
            if link in (wire.NULL, wire.LOOP) and six:
                continue
            capture = Capture(link, six, vlan=True)
            every_kind(capture)
            same_as_tshark(capture.bytes(ng=six), 13)


def test_tshark_reads_the_same_in_split_and_merged_segments():
    """tshark follows FPDUs that share a segment, and one that is split behind its headers, but not
    both at once."""
    sends = [fpdu(untagged(3, 0, n, bytes(100 + n))) for n in range(1, 31)]
    capture = Capture()
    k = start(capture)
    for at in range(0, 15, 3):
        k.send(b"".join(sends[at:at + 3]))
    for send in sends[15:]:
        for at in range(0, len(send), 40):
            k.send(send[at:at + 40])
    same_as_tshark(capture.bytes(), 30)


def test_streams_cut_anywhere_read_as_those_that_are_not():
    sends = [fpdu(untagged(3, 0, n, bytes(n))) for n in range(1, 30)]
    stream = b"".join(sends)
    wanted = None
    for step in (1400, 1, 2, 3, 13, 29, 100):
        capture = Capture()
        k = start(capture)
        for at in range(0, len(stream), step):
            k.send(stream[at:at + step])
        records = document(capture.bytes())["records"]
        got = [(r["offset"], r.get("fpdu")) for r in records]
        tap.equal(len(got), 3 + 29)
        wanted = wanted or got
        tap.equal(got, wanted, f"cut every {step} bytes")


def test_tshark_reads_the_same_out_of_order_and_repeated():
    capture = Capture()
    k = start(capture)
    first, second = (fpdu(untagged(3, 0, n, bytes(50))) for n in (1, 2))
    base = k.seq[0]
    k.segment(0, second, seq=base + len(first))
    k.segment(0, first, seq=base)
    k.segment(0, second, seq=base + len(first))
    k.segment(0, first, seq=base)
    same_as_tshark(capture.bytes(), 2)


def test_tshark_finds_the_same_CRC_wrong():
    capture = Capture()
    k = start(capture)
    k.send(fpdu(untagged(3, 0, 1, b"hello"), spoil=0x01000000))
    data = capture.bytes()
    found = decode(data, code=1).stdout
    ours = re.search(r"! the CRC is 0x([0-9a-f]{8}), it should be 0x([0-9a-f]{8})$", found, re.M)
    assert ours, found
    with tap.scratch() as folder:
        path = pathlib.Path(folder, "capture")
        path.write_bytes(data)
        theirs = tap.run(["tshark", "-r", str(path), "-O", "iwarp_mpa"]).stdout
    said = re.search(r"0x([0-9a-f]{8}) \(Bad CRC32, should be 0x([0-9a-f]{8})\)", theirs)
    assert said, theirs
    # tshark writes them in the order of the wire.
    def swap(text):
        return struct.pack("<I", int(text, 16)).hex()
    tap.equal([swap(ours[1]), swap(ours[2])], [said[1], said[2]])


def test_a_Terminate_in_RFC_5040_s_order_is_tshark_s_and_siw_s_is_explained():
    capture = Capture()
    k = start(capture)
    k.send(fpdu(tagged(0, 5, 0x10, bytes(8))))
    k.answer(fpdu(untagged(7, 2, 1, bytes.fromhex("1101c000 0016") + tagged(0, 5, 0x10))))
    same_as_tshark(capture.bytes(), 2, code=1)
    tap.contains("\n".join(lines(capture.bytes(), code=1)),
                 "  ! Terminate: DDP, tagged buffer: base or bounds\n")
    capture = Capture()
    k = start(capture)
    k.answer(SIW["terminate-crc"])
    tap.equal(lines(capture.bytes(), code=1)[-2],
              "  ! Terminate: MPA: CRC does not match (nibbles swapped, as Linux siw writes them)")


def test_what_is_wrong_is_explained_below_the_line():
    said = (
        ("begins within", [untagged(3, 0, 1, b"a", last=False), untagged(5, 0, 1, b"b")],
         "  ! Send with SE, but the last segment of a Send has not come yet"),
        ("MSN", [untagged(3, 0, 1), untagged(3, 0, 3)],
         "  ! MSN 3, but the next one of this queue is 2"),
        ("MO", [untagged(3, 0, 1, b"abc", last=False), untagged(3, 0, 1, b"d", mo=4)],
         "  ! MO 4, but the message has 3 bytes so far"),
        ("queue", [untagged(3, 5, 1)], "  ! queue 5: this opcode belongs to queue 0"),
        ("opcode", [untagged(9, 0, 1)], "  ! opcode 9 is reserved"),
        ("tagged", [tagged(3, 0, 0)],
         "  ! Send in a tagged segment: it belongs into an untagged one"),
        ("no read", [tagged(2, 0, 0)],
         "  ! a Read Response, but no Read Request is unanswered"),
        ("short", [b"\xc1\x40"], "  ! a ULPDU of 2 bytes: its header alone has 14"),
    )
    for name, ulpdus, text in said:
        capture = Capture()
        k = start(capture)
        for ulpdu in ulpdus:
            k.send(fpdu(ulpdu))
        got = lines(capture.bytes(), code=1)
        tap.equal(got[-2], text, name)
        tap.equal(sum(line.startswith("  ! ") for line in got), 1, f"{name}: errors")


def test_what_the_capture_lacks_is_no_error_of_the_traffic():
    capture = Capture()
    k = start(capture)
    k.send(fpdu(untagged(3, 0, 1, b"a")))
    k.lose(0, fpdu(untagged(3, 0, 2, b"b")))
    k.send(fpdu(untagged(3, 0, 3, b"c")))
    got = lines(capture.bytes())
    tap.equal([line for line in got if line.startswith("  ")],
              ["  ? 28 bytes are missing in the capture"])
    tap.equal(got[-2], "1 > Send msn=3 mo=0 len=1 last crc=ok")
    capture = Capture()
    k = capture.connection()
    k.send(fpdu(untagged(3, 0, 7, b"a")))
    got = lines(capture.bytes())
    tap.contains(got[0], "(who began was not captured: a guess)")
    tap.contains("\n".join(got), "  ? the stream begins in the middle")
    tap.contains("\n".join(got), "a CRC of zero is taken for no CRC")


def test_a_snap_length_leaves_the_headers():
    capture = Capture()
    k = start(capture)
    for n in (1, 2, 3):
        k.send(fpdu(untagged(3, 0, n, bytes(500))))
    done = decode(capture.bytes(snap=120))
    tap.equal(done.stdout.count("crc=unknown"), 2)
    tap.contains(done.stderr, "weft: 3 TCP segments were captured in part only: their CRCs cannot "
                              "be checked\nweft: try tcpdump -s 0 when capturing\n")


def test_an_end_within_an_FPDU():
    for end in ("close", "reset"):
        capture = Capture()
        k = start(capture)
        k.send(SIW["send"][:11])
        k.close() if end == "close" else k.reset(1)
        tap.contains("\n".join(lines(capture.bytes(), code=1)),
                     "  ! the stream ends after 11 of 40 bytes: within a frame or FPDU")


def test_payload_in_hexadecimal():
    capture = Capture()
    k = start(capture, private=b"why")
    k.send(fpdu(untagged(3, 0, 1, bytes(range(40)))))
    got = lines(capture.bytes(), options=["--payload"])
    tap.equal([line for line in got if line.startswith("    ")],
              ["    0000  776879",
               "    0000  00010203 04050607 08090a0b 0c0d0e0f 10111213 14151617 18191a1b 1c1d1e1f",
               "    0020  20212223 24252627"])
    records = document(capture.bytes(), "--payload")["records"]
    tap.equal([r.get("payload") for r in records],
              [b"why".hex(), "", None, bytes(range(40)).hex()])


def test_other_connections_are_counted_and_a_port_selects():
    capture = Capture()
    other = capture.connection(port=80)
    other.open()
    other.send(b"GET / HTTP/1.1\r\n\r\n" * 2)
    k = start(capture)
    data = capture.bytes()
    tap.contains(decode(data).stdout, "1 iWARP connection, 0 errors; 1 other TCP connection\n")
    tap.contains(decode(data, "--port", "7174").stdout, "1 iWARP connection, 0 errors\n")
    tap.contains(decode(data, "--port", "80", code=1).stdout,
                 "  ! byte 0 differs from the key of an MPA Request or Reply")
    tap.contains(decode(data, "--port", "81").stderr, "weft: no TCP data of port 81 was found")
    k.close()
    capture = Capture()
    capture.connection().open()
    tap.contains(decode(capture.bytes()).stderr, "weft: no iWARP connection was found")


def test_the_document():
    capture = Capture()
    k = start(capture)
    k.send(fpdu(untagged(3, 0, 2, b"x")))
    got = document(capture.bytes(), code=1)
    tap.equal(got["schema"], "weft.trace.decode/1")
    tap.equal((got["packets"], got["errors"], got["missing"]), (6, 1, 0))
    tap.equal(got["connections"], [{"connection": 1, "initiator": "192.0.2.1:40001",
                                    "responder": "192.0.2.2:7174", "guessed": False}])
    tap.equal([r["type"] for r in got["records"]], ["frame", "frame", "terms", "fpdu"])
    tap.equal(got["records"][2]["terms"], {"crc": True, "enhanced": True, "initiator_reads": 4,
                                           "responder_reads": 4, "rtr": []})
    tap.equal(got["records"][3]["problems"],
              [{"kind": "msn", "of": "traffic",
                "text": "MSN 2, but the next one of this queue is 1"}])
    tap.equal(got["records"][3]["time_ns"], 1000 * 10**9 + 5000)


def test_files_that_cannot_be_read():
    whole = EXAMPLE.read_bytes()
    for data, code, text in (
            (b"", 3, "the file is empty"),
            (b"weft\n" * 20, 3, "this is no capture file: unknown file format"),
            (whole[:20], 3, "this is no capture file: truncated dump file"),
            (whole[:20] + b"\x69\0\0\0" + whole[24:], 3,
             "packets of link type 105 (IEEE802_11) cannot be read"),
            (whole[:-10], 1, "the file is cut or broken behind packet 14")):
        done = decode(data, code=code)
        tap.contains(done.stderr, text)
        # What was read before is shown.
        tap.equal("Write stag=" in done.stdout, code == 1)
        tap.equal("weft: try a pcap or pcapng file" in done.stderr, code == 3)
    tap.equal(trace("decode", "/nowhere/at.all").returncode, 3)
    tap.contains(trace("decode", "/nowhere/at.all").stderr,
                 "weft: /nowhere/at.all: the file cannot be opened: No such file or directory")


def test_standard_input():
    with tap.scratch() as folder:
        del folder
        done = tap.run(["sh", "-c", f"'{tap.weft()}' trace decode - < '{EXAMPLE}'"])
    tap.succeeds(done)
    tap.contains(done.stdout, "15 packets, 1 iWARP connection, 0 errors")


def test_the_command_line():
    for words, text in (
            ([], "decode is missing"), (["decod", "x"], 'did you mean "decode"?'),
            (["decode"], "The capture file is missing"), (["decode", "a", "b"], "b"),
            (["--port", "0", "decode", "a"], "--port"),
            (["--port", "65536", "decode", "a"], "--port")):
        done = trace(*words)
        tap.equal(done.returncode, 2)
        tap.contains(done.stderr, text)


tap.main(globals())
