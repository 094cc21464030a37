# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Capture files of iWARP connections, written byte by byte: MPA frames, FPDUs, TCP segments, pcap.

    capture = Capture()
    connection = capture.connection()
    connection.open()
    connection.send(REQUEST_KEY + ...)          # the initiator
    connection.answer(REPLY_KEY + ...)          # the responder
    connection.close()
    path.write_bytes(capture.bytes())
"""
import socket
import struct

REQUEST_KEY, REPLY_KEY = b"MPA ID Req Frame", b"MPA ID Rep Frame"
ETHERNET, RAW, NULL, LOOP, SLL, SLL2 = 1, 101, 0, 108, 113, 276
FIN, SYN, RST, PUSH, ACK = 1, 2, 4, 8, 16

# What Linux siw and a peer of it said to each other.
SIW = {
    "request": "4d504120494420526571204672616d65 10 02 0004 0001 0001",
    "reply": "4d504120494420526570204672616d65 50 02 0004 0001 0001",
    "send": "0022 4143 00000000 00000000 00000001 00000000 0000007000000000 11223300 00000040"
            "266cd70b",
    "read-request": "002e 4141 00000000 00000001 00000001 00000000 4bc39600 00007f75bc000e00"
                    "00000040 11223300 0000007000000000 4f9f0023",
    "go-ahead": "0022 4143 00000000 00000000 00000001 00000000 00000000000000000000000000000000"
                "84609a12",
    "rtr-request": "4d504120494420526571204672616d65 50 02 0004 8001 c001",
    "rtr-write": "000e c140 00000001 0000000000000000 ebd34c5f",
    "terminate-crc": "0016 4147 00000000 00000002 00000001 00000000 02020000 75d367ed",
    "no-markers": "4d504120494420526570204672616d65 30 02 0004 0000 0000",
}
SIW = {name: bytes.fromhex(text) for name, text in SIW.items()}


def crc32c(data):
    """Bit by bit, straight from the polynomial."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def fpdu(ulpdu, crc=True, spoil=0):
    """An FPDU; `spoil` is XORed into its CRC."""
    covered = struct.pack(">H", len(ulpdu)) + ulpdu
    covered += bytes(-len(covered) % 4)
    return covered + struct.pack("<I", (crc32c(covered) if crc else 0) ^ spoil)


def tagged(opcode, stag, to, payload=b"", last=True):
    return struct.pack(">BBIQ", 0x81 | last << 6, 0x40 | opcode, stag, to) + payload


def untagged(opcode, queue, msn, payload=b"", mo=0, last=True, stag=0):
    return struct.pack(">BBIIII", 1 | last << 6, 0x40 | opcode, stag, queue, msn, mo) + payload


def read_request(msn, sink, size, source):
    return untagged(1, 1, msn, struct.pack(">IQIIQ", *sink, size, *source))


def frame(key, flags=0, revision=2, ird=None, ord_=0, private=b""):
    data = private if ird is None else struct.pack(">HH", ird, ord_) + private
    return key + struct.pack(">BBH", flags | (0x10 if ird is not None else 0), revision,
                             len(data)) + data


def checksum(data):
    total = sum(struct.unpack(f">{len(data) // 2}H", data + bytes(len(data) % 2))) \
        if len(data) % 2 == 0 else sum(struct.unpack(f">{len(data) // 2 + 1}H", data + b"\0"))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


class Capture:
    """Packets with their times, in the order in which they are captured."""

    def __init__(self, link=ETHERNET, six=False, vlan=False):
        self.link, self.six, self.vlan = link, six, vlan
        self.packets = []
        self.now_ns = 1_000_000_000_000
        self.port = 40000

    def connection(self, port=7174):
        self.port += 1
        return Connection(self, self.port, port)

    def add(self, ip):
        ethertype = struct.pack(">H", 0x86DD if self.six else 0x0800)
        if self.link == ETHERNET:
            tag = b"\x81\x00\x00\x05" if self.vlan else b""
            head = bytes(12) + tag + ethertype
        elif self.link == SLL:
            head = bytes(14) + ethertype
        elif self.link == SLL2:
            head = ethertype + bytes(18)
        elif self.link in (NULL, LOOP):
            family = 10 if self.six else 2
            head = struct.pack("<I" if self.link == NULL else ">I", family)
        else:
            head = b""
        self.packets.append((self.now_ns, head + ip))
        self.now_ns += 1000

    def bytes(self, snap=65535, ng=False):
        return self._pcapng(snap) if ng else self._pcap(snap)

    def _pcap(self, snap):
        out = struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, snap, self.link)
        for when, packet in self.packets:
            out += struct.pack("<IIII", when // 10**9, when % 10**9, min(len(packet), snap),
                               len(packet)) + packet[:snap]
        return out

    def _pcapng(self, snap):
        out = struct.pack("<IIIHHqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28)
        out += struct.pack("<IIHHI", 1, 20, self.link, 0, snap) + struct.pack("<I", 20)
        for when, packet in self.packets:
            cut = packet[:snap] + bytes(-len(packet[:snap]) % 4)
            size = 32 + len(cut)
            out += struct.pack("<IIIIIII", 6, size, 0, when // 1000 >> 32,
                               when // 1000 & 0xFFFFFFFF, min(len(packet), snap), len(packet))
            out += cut + struct.pack("<I", size)
        return out


class Connection:
    """A TCP connection whose segments go into a capture."""

    def __init__(self, capture, initiator, responder):
        self.capture = capture
        self.ports = (initiator, responder)
        # Close to the end of the numbers, so that they wrap.
        self.seq = [0xFFFFFF00, 0x10000000]

    def segment(self, side, data=b"", flags=ACK, seq=None):
        seq = self.seq[side] if seq is None else seq
        tcp = struct.pack(">HHIIBBHHH", self.ports[side], self.ports[1 - side], seq & 0xFFFFFFFF,
                          self.seq[1 - side] & 0xFFFFFFFF if flags & ACK else 0, 0x50, flags,
                          65535, 0, 0) + data
        if self.capture.six:
            ends = [socket.inet_pton(socket.AF_INET6, a) for a in ("fd00::1", "fd00::2")]
            pseudo = ends[side] + ends[1 - side] + struct.pack(">IHBB", len(tcp), 0, 0, 6)
            ip = struct.pack(">IHBB", 0x60000000, len(tcp), 6, 64) + ends[side] + ends[1 - side]
        else:
            ends = [socket.inet_aton(a) for a in ("192.0.2.1", "192.0.2.2")]
            pseudo = ends[side] + ends[1 - side] + struct.pack(">BBH", 0, 6, len(tcp))
            ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0x4000, 64, 6, 0)
            ip += ends[side] + ends[1 - side]
            ip = ip[:10] + struct.pack(">H", checksum(ip)) + ip[12:]
        tcp = tcp[:16] + struct.pack(">H", checksum(pseudo + tcp)) + tcp[18:]
        self.capture.add(ip + tcp)

    def open(self):
        self.segment(0, flags=SYN)
        self.seq[0] += 1
        self.segment(1, flags=SYN | ACK)
        self.seq[1] += 1
        self.segment(0)

    def _say(self, side, data):
        self.segment(side, data, ACK | PUSH)
        self.seq[side] += len(data)

    def send(self, data):
        self._say(0, data)

    def answer(self, data):
        self._say(1, data)

    def lose(self, side, data):
        """The segment is on the wire, but not in the capture."""
        self.seq[side] += len(data)

    def close(self):
        for side in (0, 1):
            self.segment(side, flags=FIN | ACK)
            self.seq[side] += 1
        self.segment(0)

    def reset(self, side):
        self.segment(side, flags=RST | ACK)


def rping(capture):
    """One ping of rping: a whole connection; returns it, still open."""
    k = capture.connection()
    text = b"rping-ping-0: " + bytes(range(65, 65 + 49)) + b"\0"
    k.open()
    k.send(SIW["request"])
    k.answer(SIW["reply"])
    k.send(SIW["send"])
    k.answer(SIW["read-request"])
    k.send(fpdu(tagged(2, 0x4BC39600, 0x7F75BC000E00, text)))
    k.answer(SIW["go-ahead"])
    k.send(fpdu(untagged(3, 0, 2, struct.pack(">QII", 0x7000100000, 0x11223301, 64))))
    k.answer(fpdu(tagged(0, 0x11223301, 0x7000100000, text)))
    k.answer(fpdu(untagged(3, 0, 2, bytes(16))))
    return k
