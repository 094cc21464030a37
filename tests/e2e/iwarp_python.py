#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""weft's iWARP and an independent peer in Python, each as client and as server of rping."""
import contextlib

import iwarp_lab
import iwarp_peer
import tap
from iwarp_peer import Conduct

SIZES = (26, 64, 4096, 65535)

# What weft's client is told, and what its peer answers: (weft's options, the peer's, what both
# must say that they agreed on).
CLIENTS = [
    ({}, {}, {"mpa": 2, "crc": False, "rtr": "none"}),
    ({"crc": "on"}, {}, {"mpa": 2, "crc": True, "rtr": "none"}),
    ({}, {"crc": True}, {"mpa": 2, "crc": True, "rtr": "none"}),
    ({"mpa": 1}, {}, {"mpa": 1, "crc": False, "rtr": "none"}),
    ({"mpa": 1, "crc": "on"}, {}, {"mpa": 1, "crc": True, "rtr": "none"}),
    ({"p2p": "write", "crc": "on"}, {}, {"mpa": 2, "crc": True, "rtr": "write"}),
    ({"p2p": "read"}, {}, {"mpa": 2, "crc": False, "rtr": "read"}),
    ({"p2p": "send"}, {}, {"mpa": 2, "crc": False, "rtr": "send"}),
]

# What the peer asks weft's server for, and what both must say that they agreed on.
SERVERS = [
    ({}, {"mpa": 2, "crc": False, "rtr": "none"}),
    ({"crc": True}, {"mpa": 2, "crc": True, "rtr": "none"}),
    ({"revision": 1}, {"mpa": 1, "crc": False, "rtr": "none"}),
    ({"revision": 1, "crc": True}, {"mpa": 1, "crc": True, "rtr": "none"}),
    ({"rtr": ("write",), "crc": True}, {"mpa": 2, "crc": True, "rtr": "write"}),
    ({"rtr": ("read",)}, {"mpa": 2, "crc": False, "rtr": "read"}),
    ({"rtr": ("send",)}, {"mpa": 2, "crc": False, "rtr": "send"}),
    ({"rtr": ("send", "write", "read")}, {"mpa": 2, "crc": False, "rtr": "write"}),
    ({"rtr": ("send", "read")}, {"mpa": 2, "crc": False, "rtr": "read"}),
]


def serve(listener, conduct=None, **reply):
    """Takes one client and serves its pings; the stream and the texts."""
    stream = listener.accept(conduct, **reply)
    texts = iwarp_peer.ping_server(stream)
    stream.finish()
    return stream, texts


@contextlib.contextmanager
def python_server(conduct=None, **reply):
    """A server in Python for one client: (port, what serve() gives once the client has ended)."""
    with iwarp_peer.Listener() as listener:
        yield listener.port, iwarp_lab.Beside(lambda: serve(listener, conduct, **reply))


def agreed(connection, wanted):
    tap.equal({name: connection[name] for name in wanted}, wanted, f"terms of {connection}")


def ping_the_peer(options, reply, terms, *, size=64, count=3, conduct=None):
    with python_server(conduct, **reply) as (port, served):
        done = iwarp_lab.ping(port, size=size, count=count, **options).right(count)
        stream, texts = served.result()
    agreed(done.json["connection"], terms)
    tap.equal(stream.crc, terms["crc"], "CRC")
    tap.equal([text[:size] for text in texts],
              [iwarp_peer.ping_text(number, size) for number in range(count)], "texts")
    return stream, done


def test_client_with_every_kind_of_startup():
    for options, reply, terms in CLIENTS:
        ping_the_peer(options, reply, terms)


def test_client_with_every_size():
    for size in SIZES:
        for crc in ("off", "on"):
            ping_the_peer({"crc": crc}, {}, {"crc": crc == "on"}, size=size, count=2)


def test_client_takes_segments_of_any_length():
    for segment in (1, 3, 1000, 65000):
        ping_the_peer({"crc": "on"}, {}, {"crc": True}, size=2000 if segment < 10 else 65535,
                      count=1, conduct=Conduct(segment=segment))


def test_client_takes_a_stream_byte_by_byte():
    for conduct in (Conduct(drip=1), Conduct(drip=7)):
        ping_the_peer({"crc": "on"}, {}, {"crc": True}, size=300, count=2, conduct=conduct)


def test_client_sends_no_segment_longer_than_the_path_takes():
    with python_server() as (port, served):
        done = iwarp_lab.ping(port, size=65535, count=1).right(1)
        stream, _ = served.result()
    longest = max(len(segment.data) for segment in stream.log)
    assert longest < done.json["connection"]["mulpdu"], (longest, done.json["connection"])


def test_private_data_goes_both_ways_from_a_client():
    for length in (0, 1, 4, 250, 508):
        given = bytes(at % 251 for at in range(length))
        with python_server(private=given[::-1]) as (port, served):
            done = iwarp_lab.ping(port, private=given.hex(), count=1).right(1)
            stream, _ = served.result()
        tap.equal(stream.request.private, given, "what the server got")
        tap.equal(done.json["connection"]["private"], given[::-1].hex(), "what the client got")


def test_a_client_says_that_it_was_rejected_and_shows_the_private_data():
    for options in ({}, {"mpa": 1}):
        with iwarp_peer.Listener() as listener:
            beside = iwarp_lab.Beside(lambda: listener.accept(private=b"busy now", reject=True))
            done = iwarp_lab.ping(listener.port, **options).failed("rejected")
            beside.result().close()
        tap.equal((done.json["rejected"], done.json["connection"]["private"]),
                  (True, b"busy now".hex()))


def test_a_client_that_asks_for_markers_is_told_no():
    with iwarp_peer.Listener() as listener:
        beside = iwarp_lab.Beside(lambda: listener.accept(reject=True))
        iwarp_lab.ping(listener.port, "--markers").failed("rejected")
        stream = beside.result()
    tap.equal(stream.request.flags & iwarp_peer.MARKERS, iwarp_peer.MARKERS)
    stream.close()


def test_a_peer_that_agrees_to_markers_is_refused():
    with iwarp_peer.Listener() as listener:
        beside = iwarp_lab.Beside(
            lambda: listener.accept(Conduct(flags_set=iwarp_peer.MARKERS)))
        iwarp_lab.ping(listener.port, "--markers").failed("terms")
        stream = beside.result()
        tap.equal(stream.until_end() in ("fin", "reset"), True)
        stream.close()


def ask_weft(server, terms=None, *, size=64, count=3, conduct=None, **request):
    with iwarp_peer.connect(("127.0.0.1", server.port), conduct=conduct, **request) as stream:
        iwarp_peer.ping_client(stream, count=count, size=size)
        stream.finish()
    return stream


def served(server, clients):
    """Ends a server that has served so many clients well; what it says of them."""
    done = server.end().must()
    tap.equal(len(done.json["clients"]), clients, str(done))
    tap.none(client for client in done.json["clients"] if not client["ok"])
    return done.json["clients"]


def test_server_with_every_kind_of_startup():
    with iwarp_lab.Server() as server:
        for request, _ in SERVERS:
            ask_weft(server, **request)
        said = served(server, len(SERVERS))
    for (request, terms), client in zip(SERVERS, said):
        tap.equal((client["pings"], client["right"]), (3, 3), str(request))
        agreed(client["connection"], terms)


def test_server_with_every_size():
    with iwarp_lab.Server() as server:
        for size in SIZES:
            for crc in (False, True):
                ask_weft(server, size=size, crc=crc, count=2)
        served(server, 2 * len(SIZES))


def test_server_asks_for_crc_by_its_own_option():
    with iwarp_lab.Server(crc="on") as server:
        tap.equal(ask_weft(server).crc, True, "CRC")
        served(server, 1)


def test_server_takes_segments_of_any_length_and_a_stream_byte_by_byte():
    conducts = [Conduct(segment=1), Conduct(segment=3), Conduct(segment=1000), Conduct(drip=1)]
    with iwarp_lab.Server() as server:
        for conduct in conducts:
            ask_weft(server, size=2000, crc=True, count=1, conduct=conduct)
        served(server, len(conducts))


def test_private_data_goes_both_ways_from_a_server():
    for length in (1, 4, 250, 508):
        given = bytes(at % 251 for at in range(length))
        with iwarp_lab.Server(private=given[::-1].hex()) as server:
            stream = ask_weft(server, private=given, count=1)
            client = served(server, 1)[0]
        tap.equal(stream.reply.private, given[::-1], "what the client got")
        tap.equal(client["connection"]["private"], given.hex(), "what the server got")


def test_a_server_rejects_with_private_data():
    with iwarp_lab.Server(reject=b"no room".hex()) as server:
        for request in ({}, {"revision": 1}, {"crc": True}, {"rtr": ("write",)}):
            try:
                iwarp_peer.connect(("127.0.0.1", server.port), **request)
                raise AssertionError(f"{request} was accepted")
            except iwarp_peer.Rejected as rejected:
                tap.equal(rejected.reply.private, b"no room", str(request))
        tap.equal(server.end().json["rejected"], 4, "how many were rejected")


def test_a_server_refuses_markers():
    with iwarp_lab.Server() as server:
        try:
            iwarp_peer.connect(("127.0.0.1", server.port), markers=True)
            raise AssertionError("markers were agreed on")
        except iwarp_peer.Rejected as rejected:
            tap.equal(rejected.reply.flags & iwarp_peer.MARKERS, 0, "M of the reply")
        ask_weft(server)


def test_a_server_never_has_more_reads_out_than_the_client_serves():
    with iwarp_lab.Server() as server:
        for ird, ord_ in ((1, 0), (1, 1), (1, 128), (16, 1), (128, 128), (0x3FFE, 0x3FFE)):
            reply = ask_weft(server, ird=ird, ord_=ord_, count=1).reply
            assert reply.ord <= ird, reply
            assert reply.ird >= min(ord_, 128), reply


def test_fifty_connects_one_after_the_other():
    with iwarp_lab.Server() as server:
        for _ in range(50):
            ask_weft(server, count=1)
        served(server, 50)


tap.main(globals())
