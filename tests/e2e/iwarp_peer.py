# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""An iWARP peer of its own, over plain TCP: MPA (RFC 5044, 6581), DDP (RFC 5041), RDMAP (RFC 5040)
and both roles of rping. It shares no code with weft, is strict about what it is sent, and breaks
each rule on demand (class Conduct).

    stream = iwarp_peer.connect(("127.0.0.1", 7174), crc=True)
    iwarp_peer.ping_client(stream, count=3, size=4096)

    with iwarp_peer.Listener() as listener:
        stream = listener.accept(crc=True)
        pings = iwarp_peer.ping_server(stream)
"""
import contextlib
import dataclasses
import socket
import struct
import time

TIMEOUT_S = 30

REQUEST_KEY, REPLY_KEY = b"MPA ID Req Frame", b"MPA ID Rep Frame"
MARKERS, CRC, REJECT, ENHANCED = 0x80, 0x40, 0x20, 0x10
PEER_TO_PEER, RTR_SEND, RTR_WRITE, RTR_READ = 0x8000, 0x4000, 0x8000, 0x4000
RTR_KINDS = ("send", "write", "read")
PRIVATE_MAX = 512

WRITE, READ_REQUEST, READ_RESPONSE, SEND, SEND_INV, SEND_SE, SEND_SE_INV, TERMINATE = range(8)
SENDS = (SEND, SEND_INV, SEND_SE, SEND_SE_INV)
TAGGED, LAST = 0x80, 0x40
QUEUE_SEND, QUEUE_READ, QUEUE_TERMINATE = range(3)


class Violation(Exception):
    """The other side broke a rule of the RFCs."""


class Closed(Exception):
    """The other side closed: `how` is "fin", "reset" or "torn" (FIN inside a frame)."""

    def __init__(self, how, text=""):
        super().__init__(f"closed by {how} {text}")
        self.how = how


class Rejected(Exception):
    """The reply says no."""

    def __init__(self, reply):
        super().__init__(f"rejected: {reply}")
        self.reply = reply


class Terminated(Exception):
    """The other side sent a Terminate: (layer, type, code), nibbles in RFC order."""

    def __init__(self, layer, etype, code):
        super().__init__(f"Terminate {layer}/{etype}/{code:02x}")
        self.error = (layer, etype, code)


def crc_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = (byte >> 1) ^ 0x82F63B78 if byte & 1 else byte >> 1
        table.append(byte)
    return tuple(table)


CRC_TABLE = crc_table()


def crc32c(data):
    value = 0xFFFFFFFF
    for byte in data:
        value = CRC_TABLE[(value ^ byte) & 255] ^ (value >> 8)
    return value ^ 0xFFFFFFFF


@dataclasses.dataclass(frozen=True)
class Startup:
    """An MPA request or reply."""
    key: bytes
    flags: int
    revision: int
    private: bytes  # what the program gets
    ird: int = None
    ord: int = None
    p2p: bool = False
    rtr: tuple = ()

    def pack(self):
        head = b""
        if self.ird is not None:
            first = self.ird | PEER_TO_PEER * self.p2p | RTR_SEND * ("send" in self.rtr)
            second = self.ord | RTR_WRITE * ("write" in self.rtr) | RTR_READ * ("read" in self.rtr)
            head = struct.pack("!HH", first, second)
        return self.key + struct.pack("!BBH", self.flags, self.revision,
                                      len(head + self.private)) + head + self.private


def parse_startup(frame):
    flags, revision, _ = struct.unpack("!BBH", frame[16:20])
    private = frame[20:]
    if not (flags & ENHANCED and revision == 2):
        return Startup(frame[:16], flags, revision, private)
    if len(private) < 4:
        raise Violation("S without its four octets")
    first, second = struct.unpack("!HH", private[:4])
    rtr = tuple(kind for kind, bit in (("send", first & RTR_SEND), ("write", second & RTR_WRITE),
                                       ("read", second & RTR_READ)) if bit)
    return Startup(frame[:16], flags, revision, private[4:], first & 0x3FFF, second & 0x3FFF,
                   bool(first & PEER_TO_PEER), rtr)


@dataclasses.dataclass
class Conduct:
    """How a stream misbehaves; the defaults behave."""
    key: bytes = None              # instead of the MPA key
    revision: int = None           # in the startup frame, whatever was agreed
    flags_set: int = 0             # of the startup frame
    flags_cleared: int = 0
    private_length: int = None     # PD_Length, whatever follows
    ird: int = None                # in the startup frame
    ord: int = None
    p2p: bool = None
    rtr: tuple = None
    glued: bytes = b""             # behind the startup frame, in the same write
    early: bytes = b""             # before it
    startup_delay_s: float = 0.0   # before the startup frame
    drip: int = 0                  # write so many bytes at a time, each in a segment of its own
    drip_s: float = 0.0            # and wait so long in between
    reset_at: int = None           # RST once so many bytes were written
    bad_crc_at: int = None         # number of the FPDU, from 0
    rtr_stag: int = 1
    segment: int = 16384           # payload of one FPDU at most


@dataclasses.dataclass
class Segment:
    """A DDP segment."""
    opcode: int
    last: bool
    stag: int = 0
    offset: int = 0   # TO or MO
    queue: int = None
    msn: int = 0
    data: bytes = b""
    tagged: bool = False


@dataclasses.dataclass
class Region:
    """Memory that the other side may touch."""
    base: int
    memory: bytearray
    read: bool = True
    write: bool = True


READ_HEADER = struct.Struct("!IQIIQ")


@dataclasses.dataclass(frozen=True)
class ReadRequest:
    sink_stag: int
    sink_offset: int
    size: int
    source_stag: int
    source_offset: int


def tagged(opcode, stag, offset, data=b"", *, last=True, ddp=1, rdmap=1):
    return struct.pack("!BBIQ", TAGGED | LAST * last | ddp, rdmap << 6 | opcode, stag,
                       offset & 0xFFFFFFFFFFFFFFFF) + data


def untagged(opcode, queue, msn, offset, data=b"", *, stag=0, last=True, ddp=1, rdmap=1):
    return struct.pack("!BBIIII", LAST * last | ddp, rdmap << 6 | opcode, stag, queue,
                       msn & 0xFFFFFFFF, offset) + data


def fpdu(ulpdu, *, crc=True, length=None, broken=False):
    """A frame around a segment; its length field may lie."""
    frame = struct.pack("!H", len(ulpdu) if length is None else length) + ulpdu
    frame += bytes(-len(frame) % 4)
    return frame + struct.pack("<I", (crc32c(frame) if crc else 0) ^ broken)


def terminate_word(layer, etype, code, *, swapped=False):
    first = etype << 4 | layer if swapped else layer << 4 | etype
    return bytes([first, code, 0, 0])


class Stream:
    """One TCP connection that speaks iWARP."""

    def __init__(self, sock, conduct=None):
        self.sock = sock
        sock.settimeout(TIMEOUT_S)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.conduct = conduct or Conduct()
        self.crc = False
        self.request = self.reply = None
        self.written = 0
        self.fpdus = 0
        self.sent_msn = [0, 0, 0]
        self.seen_msn = [0, 0, 0]
        self.regions = {}
        self.reads = []      # own reads that are out: (Region, stag, offset, end)
        self.rtr_seen = "none"  # its kind; None while the initiator owes it
        self.log = []        # segments received

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()

    def close(self):
        self.sock.close()

    def reset(self):
        """Ends the connection with RST."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()

    def finish(self):
        """Ends it in good order: FIN, and waits for the other side's."""
        with contextlib.suppress(OSError):
            self.sock.shutdown(socket.SHUT_WR)
        self.until_end()

    def until_end(self):
        """Reads to the end, whatever comes; gives "fin" or "reset"."""
        try:
            while self.sock.recv(65536):
                pass
            return "fin"
        except ConnectionError:
            return "reset"

    def raw(self, data):
        """Writes bytes as the conduct wants it."""
        step = self.conduct.drip or len(data) or 1
        for at in range(0, len(data), step):
            piece = data[at:at + step]
            if self.conduct.reset_at is not None:
                piece = piece[:self.conduct.reset_at - self.written]
            try:
                self.sock.sendall(piece)
            except ConnectionError as error:
                raise Closed("reset", str(error)) from error
            self.written += len(piece)
            if self.written == self.conduct.reset_at:
                self.reset()
                raise Closed("reset", "by own conduct")
            if self.conduct.drip_s:
                time.sleep(self.conduct.drip_s)

    def exactly(self, size, *, inside=True):
        """So many bytes; a FIN before the first is in order unless inside a frame."""
        parts, missing = [], size
        while missing:
            try:
                part = self.sock.recv(missing)
            except ConnectionError as error:
                raise Closed("reset", str(error)) from error
            if not part:
                raise Closed("torn" if inside or parts else "fin", f"{missing} bytes missing")
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)

    def send_startup(self, frame):
        conduct = self.conduct
        changed = {name: getattr(conduct, name) for name in ("key", "revision", "p2p", "rtr")
                   if getattr(conduct, name) is not None}
        if frame.ird is not None:
            changed |= {name: getattr(conduct, name) for name in ("ird", "ord")
                        if getattr(conduct, name) is not None}
        flags = (frame.flags | conduct.flags_set) & ~conduct.flags_cleared
        data = bytearray(dataclasses.replace(frame, flags=flags, **changed).pack())
        if conduct.private_length is not None:
            data[18:20] = struct.pack("!H", conduct.private_length)
        time.sleep(conduct.startup_delay_s)
        self.raw(conduct.early + bytes(data) + conduct.glued)

    def receive_startup(self, key):
        head = self.exactly(20, inside=False)
        if head[:16] != key:
            raise Violation(f"not {key!r} but {head[:16]!r}")
        length = struct.unpack("!H", head[18:])[0]
        if length > PRIVATE_MAX:
            raise Violation(f"{length} bytes of private data")
        return parse_startup(head + self.exactly(length))

    def ask(self, *, crc=False, revision=2, markers=False, ird=1, ord_=1, rtr=(), private=b""):
        """Sends the request and awaits the reply; raises Rejected."""
        flags = CRC * crc | MARKERS * markers | (ENHANCED if revision == 2 else 0)
        depths = {"ird": ird, "ord": ord_, "p2p": bool(rtr), "rtr": tuple(rtr)}
        self.request = Startup(REQUEST_KEY, flags, revision, private,
                               **(depths if revision == 2 else {}))
        self.send_startup(self.request)
        self.reply = self.receive_startup(REPLY_KEY)
        if self.reply.flags & REJECT:
            raise Rejected(self.reply)
        if self.reply.revision != revision or bool(self.reply.flags & ENHANCED) != (revision == 2):
            raise Violation(f"the reply is of another kind than the request: {self.reply}")
        if crc and not self.reply.flags & CRC:
            raise Violation("CRC was asked for and is not in the reply")
        self.crc = bool(self.reply.flags & CRC)
        if revision == 2:
            self.check_reply()

    def check_reply(self):
        reply, request = self.reply, self.request
        if reply.ord > request.ird:
            raise Violation(f"the reply's ORD {reply.ord} is above our IRD {request.ird}")
        if reply.p2p != request.p2p:
            raise Violation("A is not answered as it was asked")
        if request.p2p:
            if len(reply.rtr) != 1 or reply.rtr[0] not in request.rtr:
                raise Violation(f"RTR {reply.rtr} answers an offer of {request.rtr}")
            self.send_rtr(reply.rtr[0])

    def send_rtr(self, kind):
        """The zero-length frame that lets the responder send; a Read waits for its answer."""
        stag = self.conduct.rtr_stag
        if kind == "send":
            self.send(b"")
        elif kind == "write":
            self.segment(tagged(WRITE, stag, 0))
        else:
            self.read(stag, 0, Region(0, bytearray(0)), stag)

    def answer(self, *, crc=False, ird=128, ord_=128, rtr=RTR_KINDS, private=b"", reject=False):
        """Awaits the request and replies as it should be done; rtr: which kinds may be chosen."""
        self.request = request = self.receive_startup(REQUEST_KEY)
        if request.flags & REJECT:
            raise Violation("a request that rejects")
        self.crc = crc or bool(request.flags & CRC)
        flags = CRC * self.crc | REJECT * reject
        depths = {}
        if request.revision == 2:
            flags |= ENHANCED
            common = tuple(kind for kind in rtr if kind in request.rtr)[:1]
            depths = {"ird": min(request.ord, ird), "ord": min(request.ird, ord_),
                      "p2p": request.p2p, "rtr": common if request.p2p else ()}
        self.reply = Startup(REPLY_KEY, flags, request.revision, private, **depths)
        self.send_startup(self.reply)
        self.rtr_seen = None if self.reply.p2p else "none"

    def segment(self, ulpdu):
        broken = self.conduct.bad_crc_at == self.fpdus
        self.fpdus += 1
        self.raw(fpdu(ulpdu, crc=self.crc, broken=broken))

    def pieces(self, data):
        """(offset, part, last) of a message."""
        step = self.conduct.segment
        for at in range(0, max(len(data), 1), step):
            yield at, data[at:at + step], at + step >= len(data)

    def send(self, data, *, opcode=SEND, stag=0):
        self.sent_msn[QUEUE_SEND] += 1
        for at, part, last in self.pieces(data):
            self.segment(untagged(opcode, QUEUE_SEND, self.sent_msn[QUEUE_SEND], at, part,
                                  stag=stag, last=last))

    def write(self, stag, offset, data):
        for at, part, last in self.pieces(data):
            self.segment(tagged(WRITE, stag, offset + at, part, last=last))

    def read_request(self, sink_stag, sink_offset, size, source_stag, source_offset):
        """Sends the request alone."""
        self.sent_msn[QUEUE_READ] += 1
        body = READ_HEADER.pack(sink_stag, sink_offset, size, source_stag, source_offset)
        self.segment(untagged(READ_REQUEST, QUEUE_READ, self.sent_msn[QUEUE_READ], 0, body))

    def read(self, source_stag, source_offset, sink, sink_stag):
        """Reads the other side's memory into a region, to its end."""
        size = len(sink.memory)
        self.reads.append((sink, sink_stag, sink.base, sink.base + size))
        self.read_request(sink_stag, sink.base, size, source_stag, source_offset)
        while self.reads:
            unexpected = self.step()
            if unexpected is not None:
                raise Violation(f"a Send of {len(unexpected)} bytes while a Read is out")

    def terminate(self, layer, etype, code, *, swapped=False):
        self.sent_msn[QUEUE_TERMINATE] += 1
        word = terminate_word(layer, etype, code, swapped=swapped)
        self.segment(untagged(TERMINATE, QUEUE_TERMINATE, 1, 0, word))

    def receive(self):
        """The next segment, checked as far as it can be without what came before."""
        length = struct.unpack("!H", self.exactly(2, inside=False))[0]
        body = self.exactly(length + -(length + 2) % 4)
        wire = self.exactly(4)
        whole = struct.pack("!H", length) + body
        if self.crc and struct.pack("<I", crc32c(whole)) != wire:
            raise Violation(f"CRC of {whole[:40].hex()}... is {wire.hex()}")
        if length < 14 or (not body[0] & TAGGED and length < 18):
            raise Violation(f"an FPDU of {length} bytes: {body.hex()}")
        if body[0] & 3 != 1 or body[1] >> 6 != 1:
            raise Violation(f"version of DDP or RDMAP: {body[:2].hex()}")
        if body[0] & 0x3C or body[1] & 0x30:
            raise Violation(f"reserved bits: {body[:2].hex()}")
        found = Segment(body[1] & 15, bool(body[0] & LAST), tagged=bool(body[0] & TAGGED))
        if found.tagged:
            found.stag, found.offset = struct.unpack("!IQ", body[2:14])
            found.data = body[14:length]
        else:
            found.stag, found.queue, found.msn, found.offset = struct.unpack("!IIII", body[2:18])
            found.data = body[18:length]
        self.check(found)
        self.log.append(found)
        return found

    def check(self, found):
        """Opcode, queue and number of a segment."""
        if found.opcode > TERMINATE or found.tagged != (found.opcode in (WRITE, READ_RESPONSE)):
            raise Violation(f"opcode and T do not fit: {found}")
        if found.tagged:
            return
        queue = {READ_REQUEST: QUEUE_READ, TERMINATE: QUEUE_TERMINATE}.get(found.opcode, QUEUE_SEND)
        if found.queue != queue or found.msn != (self.seen_msn[queue] + 1) & 0xFFFFFFFF:
            raise Violation(f"queue or MSN: {found}, seen were {self.seen_msn}")
        if queue != QUEUE_SEND and (not found.last or found.offset):
            raise Violation(f"one segment only: {found}")
        if found.last:
            self.seen_msn[queue] += 1

    def step(self):
        """Receives one message or tagged segment and does what it asks for; the data of a Send."""
        found = self.receive()
        if self.rtr_seen is None:
            return self.take_rtr(found)
        if found.opcode == TERMINATE:
            raise Terminated(*terminate_error(found.data))
        if found.opcode == WRITE:
            self.take_write(found)
        elif found.opcode == READ_RESPONSE:
            self.take_response(found)
        elif found.opcode == READ_REQUEST:
            self.serve_read(ReadRequest(*READ_HEADER.unpack(found.data)))
        else:
            return self.take_send(found)
        return None

    def take_rtr(self, found):
        """The initiator's first frame in peer-to-peer mode."""
        kind = {WRITE: "write", READ_REQUEST: "read", SEND: "send"}.get(found.opcode)
        wanted = self.reply.rtr[0] if self.reply.rtr else None
        empty = not found.data if kind != "read" else \
            not ReadRequest(*READ_HEADER.unpack(found.data)).size
        if kind != wanted or not empty or not found.last:
            raise Violation(f"not a ready-to-receive frame of kind {wanted}: {found}")
        if kind != "send" and not found.stag and not (
                kind == "read" and ReadRequest(*READ_HEADER.unpack(found.data)).source_stag):
            raise Violation(f"a ready-to-receive frame with STag 0: {found}")
        self.rtr_seen = kind
        if kind == "read":
            request = ReadRequest(*READ_HEADER.unpack(found.data))
            self.segment(tagged(READ_RESPONSE, request.sink_stag, request.sink_offset))

    def place(self, found, region, offset):
        at = offset - region.base
        if at < 0 or at + len(found.data) > len(region.memory):
            raise Violation(f"out of bounds: {found}")
        region.memory[at:at + len(found.data)] = found.data

    def take_write(self, found):
        if not found.data:
            return
        region = self.regions.get(found.stag)
        if not region or not region.write:
            raise Violation(f"no such STag to write: {found}")
        self.place(found, region, found.offset)

    def take_response(self, found):
        if not self.reads:
            raise Violation(f"no Read is out: {found}")
        sink, stag, offset, end = self.reads[0]
        if found.data or stag != found.stag:
            if (found.stag, found.offset) != (stag, offset):
                raise Violation(f"wanted {stag:08x}:{offset:x}: {found}")
            self.place(found, sink, offset)
        offset += len(found.data)
        self.reads[0] = (sink, stag, offset, end)
        if found.last:
            if offset != end:
                raise Violation(f"a response that lacks {end - offset} bytes")
            self.reads.pop(0)

    def serve_read(self, request):
        data = b""
        if request.size:
            region = self.regions.get(request.source_stag)
            if not region or not region.read:
                raise Violation(f"no such STag to read: {request}")
            at = request.source_offset - region.base
            if at < 0 or at + request.size > len(region.memory):
                raise Violation(f"out of bounds: {request}")
            data = bytes(region.memory[at:at + request.size])
        for at, part, last in self.pieces(data):
            self.segment(tagged(READ_RESPONSE, request.sink_stag, request.sink_offset + at, part,
                                last=last))

    def take_send(self, found):
        """Puts a message together; other messages may lie between its segments."""
        data, first = found.data, found
        while not found.last:
            found = self.receive()
            if found.tagged and found.opcode == WRITE:
                self.take_write(found)
                continue
            if found.opcode != first.opcode or found.msn != first.msn or found.offset != len(data):
                raise Violation(f"does not continue {first}: {found}")
            data += found.data
        return data

    def next_send(self):
        """Serves the other side until it sends; the message."""
        while True:
            data = self.step()
            if data is not None:
                return data


def terminate_error(data):
    """(layer, type, code); Linux siw swaps the nibbles, which shows where a layer cannot be."""
    high, low = data[0] >> 4, data[0] & 15
    known = {(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (2, 0)}
    if (high, low) not in known and (low, high) in known:
        high, low = low, high
    return high, low, data[1]


def connect(address, *, conduct=None, source=None, **request):
    """Connects and asks; gives a stream that is up. Options: those of Stream.ask()."""
    stream = open_stream(address, conduct=conduct, source=source)
    try:
        stream.ask(**request)
    except BaseException:
        stream.close()
        raise
    return stream


def open_stream(address, *, conduct=None, source=None):
    """TCP only: nothing is said."""
    sock = socket.create_connection(address, TIMEOUT_S, source_address=source)
    return Stream(sock, conduct)


class Listener:
    """Where others connect to."""

    def __init__(self, address=("127.0.0.1", 0), backlog=128):
        self.sock = socket.socket()
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.sock.bind(address)
        self.sock.listen(backlog)
        self.sock.settimeout(TIMEOUT_S)
        self.port = self.sock.getsockname()[1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()

    def take(self, conduct=None):
        """The next TCP connection: nothing is said."""
        return Stream(self.sock.accept()[0], conduct)

    def accept(self, conduct=None, **reply):
        """The next connection, up. Options: those of Stream.answer()."""
        stream = self.take(conduct)
        try:
            stream.answer(**reply)
        except BaseException:
            stream.close()
            raise
        return stream


ADVERT = struct.Struct("!QII")
START_STAG, SINK_STAG, SERVER_STAG = 0x11223300, 0x11223301, 0x55000001
START_BASE, SINK_BASE, SERVER_BASE = 0x7000000000, 0x7000100000, 0x1000


def ping_text(number, size):
    """What rping's client sends in ping `number`: a NUL is its last byte."""
    head = b"rdma-ping-%d: " % number
    letters = bytes(65 + (number + at) % 58 for at in range(max(size - len(head), 0)))
    return (head + letters)[:size - 1] + b"\0"


def ping_client(stream, *, count=1, size=64, first=0):
    """rping -c: each ping is read and written back by the server; raises Violation otherwise."""
    for number in range(first, first + count):
        text = ping_text(number, size)
        sink = Region(SINK_BASE, bytearray(size), read=False)
        stream.regions[START_STAG] = Region(START_BASE, bytearray(text), write=False)
        stream.regions[SINK_STAG] = sink
        stream.send(ADVERT.pack(START_BASE, START_STAG, size))
        expect_advert(stream.next_send())
        stream.send(ADVERT.pack(SINK_BASE, SINK_STAG, size))
        expect_advert(stream.next_send())
        # rping writes back as much as the text is long, weft all of it.
        if bytes(sink.memory).rstrip(b"\0") != text.rstrip(b"\0"):
            raise Violation(f"ping {number} came back as {bytes(sink.memory[:60])!r}")


def expect_advert(data):
    if len(data) != ADVERT.size:
        raise Violation(f"a Send of {len(data)} bytes; rping's have {ADVERT.size}")


def ping_server(stream, *, count=None):
    """rping -s, until the client closes or `count` pings were served; the texts."""
    texts = []
    while count is None or len(texts) < count:
        try:
            data = stream.next_send()
        except Closed as closed:
            if closed.how == "torn":
                raise
            return texts
        offset, stag, size = advert(data)
        text = Region(SERVER_BASE, bytearray(size))
        stream.read(stag, offset, text, SERVER_STAG)
        stream.send(bytes(ADVERT.size))
        offset, stag, size = advert(stream.next_send())
        stream.write(stag, offset, bytes(text.memory)[:size])
        stream.send(bytes(ADVERT.size))
        texts.append(bytes(text.memory))
    return texts


def advert(data):
    expect_advert(data)
    return ADVERT.unpack(data)
