#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""weft's iWARP against a peer that breaks rules: what other implementations got wrong, and what an
enemy would try. Each test also sees that nobody else suffers."""
import contextlib
import resource
import socket
import threading

import iwarp_lab
import iwarp_peer
import tap
from iwarp_peer import Conduct, Closed, Rejected, Terminated, TERMINATE

LLP_CRC, LLP_LENGTH, LLP_IRD, LLP_RTR = (2, 0, 2), (2, 0, 3), (2, 0, 6), (2, 0, 7)
# Connections that never say a word.
HALF_OPEN = 10000


def reply_with(conduct, *options, **reply):
    """weft's client meets a server that replies so: (how it ended, what came on the wire)."""
    with iwarp_peer.Listener() as listener:
        beside = iwarp_lab.Beside(lambda: answer_and_listen(listener, conduct, reply))
        done = iwarp_lab.ping(listener.port, *options, count=1, timeout="3s")
        return done, beside.result()


def answer_and_listen(listener, conduct, reply):
    """What weft does after the reply: ("terminate", error), ("fin", None), ("reset", None)."""
    with listener.take(conduct) as stream:
        try:
            stream.answer(**reply)
            while True:
                found = stream.receive()
                if found.opcode == TERMINATE:
                    return "terminate", iwarp_peer.terminate_error(found.data)
        except Closed as closed:
            return closed.how, None


def refused(outcome, *hows):
    """The client failed; the wire saw the end in one of these ways."""
    done, (how, error) = outcome
    done.failed()
    assert (how, error) in hows, f"{how} {error}, wanted one of {hows}: {done}"


CLOSED = (("fin", None), ("reset", None))


def test_the_server_echoes_A_and_chooses_of_the_offer():
    with iwarp_lab.Server() as server:
        for offer in (("write",), ("read",), ("send",), ("send", "read"), ("write", "read")):
            with iwarp_peer.connect(("127.0.0.1", server.port), rtr=offer) as stream:
                tap.equal(stream.reply.p2p, True, "A of the reply")
                iwarp_peer.ping_client(stream)
                stream.finish()
        with iwarp_peer.connect(("127.0.0.1", server.port)) as stream:
            tap.equal((stream.reply.p2p, stream.reply.rtr), (False, ()), "A that nobody asked for")


def test_a_reply_without_A_makes_the_client_a_client_of_client_server():
    with iwarp_peer.Listener() as listener:

        def serve():
            stream = listener.accept(Conduct(p2p=False, rtr=()))
            stream.rtr_seen = "none"
            texts = iwarp_peer.ping_server(stream)
            stream.finish()
            return texts

        beside = iwarp_lab.Beside(serve)
        done = iwarp_lab.ping(listener.port, p2p="write", count=1).right(1)
        beside.result()
    tap.equal(done.json["connection"]["rtr"], "none")


def test_a_reply_that_chooses_what_was_not_offered_gets_a_terminate():
    for offered, chosen in (("write", "read"), ("read", "write"), ("write", "send"),
                            ("send", "write")):
        refused(reply_with(Conduct(p2p=True, rtr=(chosen,)), "--p2p", offered),
                ("terminate", LLP_RTR))


def test_the_client_sends_what_the_reply_chooses_and_no_stag_0():
    for kind in ("write", "read"):
        with iwarp_peer.Listener() as listener:
            beside = iwarp_lab.Beside(lambda: serve_once(listener))
            iwarp_lab.ping(listener.port, p2p=kind, count=1).right(1)
            # The peer has refused every STag 0.
            tap.equal(beside.result().rtr_seen, kind)


def test_of_several_frames_the_client_sends_the_one_that_the_reply_chooses():
    for chosen in ("write", "read", "send"):
        with iwarp_peer.Listener() as listener:
            beside = iwarp_lab.Beside(lambda: serve_once(listener, rtr=(chosen,)))
            done = iwarp_lab.ping(listener.port, p2p="write,read,send", count=1).right(1)
            tap.equal(done.json["connection"]["rtr"], chosen)
            tap.equal(beside.result().rtr_seen, chosen)


def serve_once(listener, conduct=None, **reply):
    stream = listener.accept(conduct, **reply)
    iwarp_peer.ping_server(stream)
    stream.finish()
    return stream


def test_the_server_takes_a_zero_length_frame_with_stag_0():
    with iwarp_lab.Server() as server:
        for kind in ("write", "read"):
            conduct = Conduct(rtr_stag=0)
            with iwarp_peer.connect(("127.0.0.1", server.port), conduct=conduct,
                                    rtr=(kind,)) as stream:
                iwarp_peer.ping_client(stream)
                stream.finish()


def test_numbers_of_reads_are_clamped_the_right_way():
    # More than weft's device has: a Terminate. Less than it wants: it has fewer out.
    refused(reply_with(Conduct(ord=200)), ("terminate", LLP_IRD))
    with iwarp_peer.Listener() as listener:
        beside = iwarp_lab.Beside(lambda: serve_once(listener, Conduct(ird=0, ord=1)))
        done = iwarp_lab.ping(listener.port, count=1).right(1)
        beside.result()
    tap.equal(done.json["connection"]["ord"], 0)
    with iwarp_lab.Server() as server:
        with iwarp_peer.connect(("127.0.0.1", server.port), ird=1, ord_=7) as stream:
            tap.equal((stream.reply.ird, stream.reply.ord), (7, 1), "the reply's IRD and ORD")


def test_a_reply_of_another_kind_ends_the_connection():
    for options, conduct in (([], Conduct(revision=1, flags_cleared=iwarp_peer.ENHANCED)),
                             ([], Conduct(flags_cleared=iwarp_peer.ENHANCED)),
                             (["--mpa", "1"], Conduct(revision=2)),
                             ([], Conduct(revision=7)),
                             ([], Conduct(key=b"MPA ID Rep Frams")),
                             ([], Conduct(key=iwarp_peer.REQUEST_KEY)),
                             ([], Conduct(private_length=513)),
                             ([], Conduct(private_length=0xFFFF)),
                             ([], Conduct(flags_set=iwarp_peer.MARKERS))):
        refused(reply_with(conduct, *options), *CLOSED)


def test_bytes_glued_to_the_reply_or_before_it_end_the_connection():
    early = iwarp_peer.fpdu(iwarp_peer.untagged(iwarp_peer.SEND, 0, 1, 0, bytes(16)), crc=False)
    refused(reply_with(Conduct(glued=early)), *CLOSED)
    refused(reply_with(Conduct(early=early)), *CLOSED)


def test_a_reply_that_comes_late_or_never_is_a_timeout_and_is_not_waited_for():
    for conduct in (Conduct(startup_delay_s=4), Conduct(private_length=400)):
        done, (how, _) = reply_with(conduct, "--timeout", "1s")
        done.failed("did not answer in time")
        assert how in ("fin", "reset"), how


def bad_request(server, conduct=None, **request):
    """What a server does with such a request: a reply, or how it closed."""
    with iwarp_peer.open_stream(("127.0.0.1", server.port), conduct=conduct) as stream:
        try:
            stream.ask(**request)
            return "accepted"
        except Rejected:
            return "rejected"
        except Closed as closed:
            return closed.how


def well(server):
    """The server serves an honest client."""
    with iwarp_peer.connect(("127.0.0.1", server.port), crc=True) as stream:
        iwarp_peer.ping_client(stream, size=4096)
        stream.finish()


def test_requests_that_break_the_rules_are_answered_with_an_end():
    send = iwarp_peer.fpdu(iwarp_peer.untagged(iwarp_peer.SEND, 0, 1, 0, bytes(16)), crc=False)
    cases = [(Conduct(key=b"GET / HTTP/1.1\r\n"), ("fin", "reset")),
             (Conduct(key=iwarp_peer.REPLY_KEY), ("fin", "reset")),
             (Conduct(revision=0), ("fin", "reset")),
             (Conduct(revision=3), ("fin", "reset")),
             (Conduct(private_length=513), ("fin", "reset", "rejected")),
             (Conduct(private_length=0xFFFF), ("fin", "reset", "rejected")),
             (Conduct(private_length=3), ("fin", "reset", "rejected")),
             (Conduct(flags_set=iwarp_peer.MARKERS), ("rejected",)),
             (Conduct(glued=send), ("fin", "reset"))]
    with iwarp_lab.Server() as server:
        for conduct, wanted in cases:
            got = bad_request(server, conduct)
            assert got in wanted, f"{conduct}: {got}, wanted {wanted}"
            well(server)


def hostile(server, attack, *, crc=True, conduct=None):
    """Connects well, attacks, and gives the Terminate that comes or how the connection ends."""
    with iwarp_peer.connect(("127.0.0.1", server.port), crc=crc, conduct=conduct) as stream:
        try:
            attack(stream)
            while True:
                found = stream.receive()
                if found.opcode == TERMINATE:
                    return iwarp_peer.terminate_error(found.data)
        except Closed as closed:
            return closed.how


def segment(ulpdu):
    return lambda stream: stream.segment(ulpdu)


def frame(data):
    return lambda stream: stream.raw(data)


def read_request(size, stag=5, offset=0, *, queue=1, msn=1, last=True):
    body = iwarp_peer.READ_HEADER.pack(9, 0, size, stag, offset)
    return iwarp_peer.untagged(iwarp_peer.READ_REQUEST, queue, msn, 0, body, last=last)


U, T = iwarp_peer.untagged, iwarp_peer.tagged
SEND, WRITE, RESPONSE = iwarp_peer.SEND, iwarp_peer.WRITE, iwarp_peer.READ_RESPONSE

ATTACKS = [
    ("bad CRC", lambda s: s.raw(iwarp_peer.fpdu(U(SEND, 0, 1, 0, bytes(16)), broken=True)),
     LLP_CRC),
    ("a length below any header", frame(iwarp_peer.fpdu(bytes(13))), LLP_LENGTH),
    ("a length of 0", frame(iwarp_peer.fpdu(b"")), LLP_LENGTH),
    ("an untagged header cut", segment(U(SEND, 0, 1, 0)[:17]), LLP_LENGTH),
    ("DDP version, tagged", segment(T(WRITE, 5, 0, b"x", ddp=2)), (1, 1, 4)),
    ("DDP version, untagged", segment(U(SEND, 0, 1, 0, ddp=0)), (1, 2, 6)),
    ("RDMAP version", segment(U(SEND, 0, 1, 0, rdmap=2)), (0, 2, 5)),
    ("an opcode beyond all", segment(U(9, 0, 1, 0)), (0, 2, 6)),
    ("a Send that is tagged", segment(T(SEND, 5, 0, b"x")), (0, 2, 6)),
    ("a Write that is not", segment(U(WRITE, 0, 1, 0, b"x")), (0, 2, 6)),
    ("a queue that there is not", segment(U(SEND, 7, 1, 0)), (1, 2, 1)),
    ("an MSN too far", segment(U(SEND, 0, 2, 0, bytes(16))), (1, 2, 3)),
    ("MSN 0", segment(U(SEND, 0, 0, 0, bytes(16))), (1, 2, 3)),
    ("an MO out of nowhere", segment(U(SEND, 0, 1, 100, bytes(16))), (1, 2, 4)),
    ("a message longer than a receive", segment(U(SEND, 0, 1, 0, bytes(17))), (1, 2, 5)),
    ("the longest FPDU of all", segment(U(SEND, 0, 1, 0, bytes(65535 - 18))), (1, 2, 5)),
    ("a Write to a made-up STag", segment(T(WRITE, 0xDEAD00, 0, b"x")), (1, 1, 0)),
    ("a Write that wraps", segment(T(WRITE, 0xDEAD00, 2**64 - 1, b"xxxx")), (1, 1, 0)),
    ("a Read of a made-up STag", segment(read_request(64, 0xDEAD00)), (0, 1, 0)),
    ("a Read with a wrong MSN", segment(read_request(64, msn=2)), (1, 2, 3)),
    ("a Read in two segments", segment(read_request(64, last=False)), (0, 2, 6)),
    ("a Response that nobody asked for", segment(T(RESPONSE, 1, 0, b"x")), (0, 2, 6)),
    ("Invalidate of a made-up STag",
     segment(U(iwarp_peer.SEND_INV, 0, 1, 0, bytes(16), stag=0xDEAD00)), (0, 1, 0)),
]


def test_each_attack_on_a_stream_gets_its_terminate_and_no_other_connection_suffers():
    with iwarp_lab.Server() as server:
        with iwarp_peer.connect(("127.0.0.1", server.port), crc=True) as bystander:
            for number, (what, attack, wanted) in enumerate(ATTACKS):
                tap.equal(hostile(server, attack), wanted, what)
                iwarp_peer.ping_client(bystander, first=number)
            bystander.finish()
        well(server)


def offered(stream):
    """The STag, offset and length that weft's own requests name: of its memory for a Read."""
    stream.send(iwarp_peer.ADVERT.pack(0x1000, 1, 64))
    return iwarp_peer.ReadRequest(*iwarp_peer.READ_HEADER.unpack(stream.receive().data))


def test_a_known_stag_protects_its_bounds_and_its_rights():
    def beyond(change):
        def attack(stream):
            wanted = offered(stream)
            change(stream, wanted)
        return attack

    size = 65536 + 1
    cases = [
        ("a Write behind the end", lambda s, w: s.segment(
            T(WRITE, w.sink_stag, w.sink_offset + size, bytes(8))), (1, 1, 1)),
        ("a Write before the beginning", lambda s, w: s.segment(
            T(WRITE, w.sink_stag, w.sink_offset - 1, bytes(8))), (1, 1, 1)),
        ("a Write around the end of the address space", lambda s, w: s.segment(
            T(WRITE, w.sink_stag, 2**64 - 4, bytes(8))), (1, 1, 3)),
        ("a Read behind the end", lambda s, w: s.segment(
            read_request(8, w.sink_stag, w.sink_offset + size)), (0, 1, 1)),
        ("a Read of 4 GiB", lambda s, w: s.segment(
            read_request(2**32 - 1, w.sink_stag, w.sink_offset)), (0, 1, 1)),
        ("a Read that wraps", lambda s, w: s.segment(
            read_request(8, w.sink_stag, 2**64 - 4)), (0, 1, 4)),
        ("a Response to another STag", lambda s, w: s.segment(
            T(RESPONSE, w.sink_stag ^ 0x100, w.sink_offset, bytes(64))), (1, 1, 0)),
        ("a Response that is too long", lambda s, w: s.segment(
            T(RESPONSE, w.sink_stag, w.sink_offset, bytes(65))), (1, 1, 1)),
        ("another connection's STag", None, (1, 1, 2)),
    ]
    with iwarp_lab.Server() as server, \
            iwarp_peer.connect(("127.0.0.1", server.port), crc=True) as other:
        foreign = offered(other)
        for what, change, wanted in cases:
            attack = beyond(change) if change else segment(
                T(WRITE, foreign.sink_stag, foreign.sink_offset, bytes(8)))
            tap.equal(hostile(server, attack), wanted, what)
        # It was attacked by name, and goes on.
        other.segment(T(RESPONSE, foreign.sink_stag, foreign.sink_offset,
                        iwarp_peer.ping_text(0, 64)))
        iwarp_peer.expect_advert(other.next_send())
        well(server)


def test_terminates_of_every_kind_are_understood_in_both_orders_of_nibbles():
    with iwarp_lab.Server() as server:
        for swapped in (False, True):
            for error in (LLP_CRC, LLP_LENGTH, (0, 1, 2), (0, 2, 6), (1, 1, 0), (1, 2, 2)):
                with iwarp_peer.connect(("127.0.0.1", server.port), crc=True) as stream:
                    stream.terminate(*error, swapped=swapped)
                    assert stream.until_end() in ("fin", "reset")
        done = server.end()
    tap.equal(["the peer ended it with a Terminate message" in client["error"]
               for client in done.json["clients"]], [True] * 12, str(done))


def test_a_storm_of_terminates_hurts_nobody():
    word = iwarp_peer.terminate_word(2, 0, 2)
    with iwarp_lab.Server() as server:
        for _ in range(100):
            with iwarp_peer.connect(("127.0.0.1", server.port), crc=True) as stream:
                one = iwarp_peer.fpdu(U(TERMINATE, 2, 1, 0, word))
                with contextlib.suppress(Closed):
                    stream.raw(one * 100)
                    stream.until_end()
        well(server)


def test_a_reset_at_every_byte_of_a_connection_hurts_nobody():
    with iwarp_lab.Server() as server:
        for at in (1, 10, 19, 20, 23, 24, 25, 26, 40, 57, 58, 60, 100, 150):
            with contextlib.suppress(Closed, ConnectionError):
                with iwarp_peer.connect(("127.0.0.1", server.port), crc=True,
                                        conduct=Conduct(reset_at=at)) as stream:
                    iwarp_peer.ping_client(stream)
        well(server)
    with iwarp_peer.Listener() as listener:
        for at in (1, 19, 20, 24, 30, 70):

            def serve(at=at):
                with contextlib.suppress(Closed):
                    serve_once(listener, Conduct(reset_at=at))

            beside = iwarp_lab.Beside(serve)
            iwarp_lab.ping(listener.port, count=2, crc="on").failed()
            beside.result()


def test_a_request_that_trickles_in_is_cut_off_and_keeps_nobody_waiting():
    with iwarp_lab.Server() as server:
        slow = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(20)]
        for sock in slow:
            sock.settimeout(iwarp_peer.TIMEOUT_S)
            sock.sendall(iwarp_peer.REQUEST_KEY[:7])
        well(server)
        # One byte now and then buys no more time: all are closed in the end.
        for at in range(7, 12):
            for sock in slow:
                with contextlib.suppress(OSError):
                    sock.sendall(iwarp_peer.REQUEST_KEY[at:at + 1])
            well(server)
        for sock in slow:
            with contextlib.suppress(ConnectionError):
                tap.equal(sock.recv(1), b"", "bytes from the server")
            sock.close()
        well(server)


def test_peers_that_fall_silent_after_the_startup_keep_nobody_waiting():
    with iwarp_lab.Server() as server, contextlib.ExitStack() as stack:
        for _ in range(50):
            stack.enter_context(iwarp_peer.connect(("127.0.0.1", server.port)))
        for _ in range(5):
            well(server)


class SlowReader:
    """A client that asks for ever more of the server's memory, and takes it in slowly."""

    def __init__(self, port):
        self.stream = iwarp_peer.connect(("127.0.0.1", port), ird=4, ord_=128)
        self.stream.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        self.wanted = offered(self.stream)
        self.taken = 0
        self.ended = False
        for _ in range(100):
            self.ask()
        self.stream.sock.setblocking(False)

    def ask(self):
        self.stream.read_request(9, 0, 65536, self.wanted.sink_stag, self.wanted.sink_offset)

    def take(self):
        try:
            self.taken += len(self.stream.sock.recv(65536))
            if self.taken >= 70000:
                self.taken -= 70000
                self.ask()
        except BlockingIOError:
            pass
        except (ConnectionError, Closed):
            self.ended = True


def take_slowly(readers, enough):
    while not enough.wait(0.1):
        for reader in readers:
            reader.take()


def test_peers_that_read_slowly_keep_nobody_waiting():
    enough = threading.Event()
    with iwarp_lab.Server(timeout="1s") as server, contextlib.ExitStack() as stack:
        readers = [SlowReader(server.port) for _ in range(60)]
        for reader in readers:
            stack.enter_context(reader.stream)
        beside = iwarp_lab.Beside(take_slowly, readers, enough)
        # If the server waited for each in turn to end well, the next honest client would be out of
        # patience before the last.
        while not all(reader.ended for reader in readers):
            well(server)
        enough.set()
        beside.result()
        well(server)


def raise_limit():
    """As many descriptors as this process may have; how many half-open connections that makes."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return min(HALF_OPEN, hard - 200)


def test_ten_thousand_half_open_connections_take_bounded_memory_and_harm_no_other():
    count = raise_limit()
    with iwarp_lab.Server() as server, \
            iwarp_peer.connect(("127.0.0.1", server.port), crc=True) as bystander:
        iwarp_peer.ping_client(bystander)
        before = server.memory_kib()
        sockets = []
        for number in range(count):
            sock = socket.socket()
            sock.setblocking(False)
            sock.connect_ex(("127.0.0.1", server.port))
            sockets.append(sock)
            if number % 500 == 0:
                iwarp_peer.ping_client(bystander, first=1 + number // 500)
        iwarp_peer.ping_client(bystander, first=1 + (count + 499) // 500)
        grown = server.memory_kib() - before
        for sock in sockets:
            sock.close()
        bystander.finish()
        # A place for each that is taken in, and none for the others.
        assert grown < 32 * 1024 or iwarp_lab.sanitized(), f"{grown} KiB more"
        serve_again(server)


def serve_again(server):
    """New clients come in once the server has got rid of the crowd."""

    def served():
        try:
            well(server)
            return True
        except (Closed, ConnectionError):
            return False

    server.wait_for(served, "an honest client that is served again")


tap.main(globals())
