# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""weft is the server, the kernel's rping the client."""
import struct

import iwarp_peer
import line
import tap

SIZES = (26, 64, 4096, 65535)


def served(server, pings, **terms):
    """Ends a server that has served one client so many pings."""
    done = server.end().must()
    tap.equal(len(done.json["clients"]), 1, str(done))
    client = done.json["clients"][0]
    tap.equal((client["ok"], client["pings"], client["right"]), (True, pings, pings), str(done))
    tap.equal({name: client["connection"][name] for name in terms}, terms, str(client))


def ping_weft(lab, options=(), *, count=5, size=64, **terms):
    with lab.server(*options) as server:
        status, said = lab.rping(server.port, count=count, size=size).wait()
        tap.equal(status, 0, said)
        served(server, count, **terms)


def test_a_hundred_pings_of_every_size_without_crc(lab):
    lab.siw()
    for size in SIZES:
        ping_weft(lab, count=100, size=size, mpa=2, crc=False, rtr="none")


def test_a_hundred_pings_of_every_size_with_crc(lab):
    lab.siw()
    for size in SIZES:
        ping_weft(lab, ["--crc", "on"], count=100, size=size, mpa=2, crc=True, rtr="none")


def test_a_siw_that_requires_crc_gets_it_from_a_server_that_does_not_ask(lab):
    lab.siw("mpa_crc_required=1")
    ping_weft(lab, mpa=2, crc=True)


def test_mpa_1(lab):
    lab.siw("mpa_version=1")
    ping_weft(lab, mpa=1, crc=False, rtr="none")


def test_mpa_1_with_crc(lab):
    lab.siw("mpa_version=1 mpa_crc_required=1")
    ping_weft(lab, mpa=1, crc=True, rtr="none")


def test_peer_to_peer_begins_with_a_write(lab):
    lab.siw("peer_to_peer=1")
    ping_weft(lab, mpa=2, crc=False, rtr="write")
    lab.siw("peer_to_peer=1 mpa_crc_required=1")
    ping_weft(lab, mpa=2, crc=True, rtr="write")


def without_write(direction, number, frame):
    """Takes the Write out of a request's offer."""
    if (direction, number) != (line.TO_SERVER, 0):
        return frame
    first, second = struct.unpack("!HH", frame[20:24])
    return frame[:20] + struct.pack("!HH", first, second & ~iwarp_peer.RTR_WRITE) + frame[24:]


def test_peer_to_peer_begins_with_a_read_when_a_write_is_not_offered(lab):
    lab.siw("peer_to_peer=1")
    with lab.server() as server, line.Line(server.port, without_write) as wire:
        status, said = lab.rping(wire.port, count=3).wait()
        tap.equal(status, 0, said)
        served(server, 3, rtr="read")


def test_private_data_in_the_reply(lab):
    lab.siw()
    for length in (1, 64, 251):
        ping_weft(lab, ["--private", bytes(range(length)).hex()])


def test_a_reject_reaches_the_kernel_with_its_private_data(lab):
    lab.siw()
    with lab.server(reject=b"go away".hex()) as server, line.Line(server.port) as wire:
        status, said = lab.rping(wire.port, count=1).wait()
        assert status != 0, said
        tap.contains(said, "RDMA_CM_EVENT_REJECTED", "what rping says")
        reply = iwarp_peer.parse_startup(wire.frames[line.TO_CLIENT][0])
        tap.equal(reply.private, b"go away", "private data on the wire")
        tap.equal(server.end().json["rejected"], 1)
