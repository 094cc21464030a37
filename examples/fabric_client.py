#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Walks a fabric that `weft fabric` serves, by its socket protocol and nothing else:

    fabric_client.py SOCKET NODE

NODE is where to start, by name or GUID. It asks each node for NodeInfo and NodeDescription by
directed route and prints what it finds; docs/fabric-protocol.md is the reference."""
import collections
import socket
import struct
import sys

MAGIC, VERSION = 0x74666577, 1
HELLO, PACKET, WELCOME, REFUSED = 1, 16, 32, 33
ROLE_SOCKET = 2
HEAD = struct.Struct("=IHH")
ROUTE = struct.Struct("=HHBBBBIIIHHBBBBI16s16s")  # a packet but for the MAD
NODE_DESCRIPTION, NODE_INFO = 0x10, 0x11
TYPES = {1: "CA", 2: "Switch", 3: "Router"}


class Fabric:
    """A program at a port."""

    def __init__(self, path, node):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            self.socket.connect(path)
        except OSError as problem:
            sys.exit(f"no fabric daemon can be asked at {path}: {problem.strerror}")
        self.socket.settimeout(1)
        hello = struct.pack("=BB6x128s32s", ROLE_SOCKET, 0, node.encode(), b"fabric_client")
        self.socket.send(HEAD.pack(MAGIC, VERSION, HELLO) + hello)
        answer = self.socket.recv(65536)
        if HEAD.unpack_from(answer)[2] == REFUSED:
            sys.exit("refused: " + answer[16:].split(b"\0")[0].decode())
        self.tid = struct.unpack_from("=I", answer, 12)[0] << 32
        self.port = answer[24]

    def get(self, attribute, path, tries=3):
        """The 64 bytes of an attribute behind a directed route (the ports to leave by); None when
        there was no answer."""
        self.tid += 1
        mad = bytearray(256)
        # base version, class, class version, method Get, status, hop pointer, hop count, TID, ...
        struct.pack_into(">BBBBHBBQH", mad, 0, 1, 0x81, 1, 1, 0, 0, len(path), self.tid, attribute)
        struct.pack_into(">HH", mad, 32, 0xFFFF, 0xFFFF)  # DrSLID, DrDLID
        mad[129:129 + len(path)] = bytes(path)
        # slid, dlid, sl, path bits, GRH, -, QPs, Q_Key, P_Key index, P_Key, GRH's fields
        route = ROUTE.pack(0xFFFF, 0xFFFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, b"", b"")
        for _ in range(tries):
            self.socket.send(HEAD.pack(MAGIC, VERSION, PACKET) + route + mad)
            try:
                while True:
                    answer = self.socket.recv(65536)
                    got = answer[HEAD.size + ROUTE.size:]
                    if HEAD.unpack_from(answer)[2] == PACKET and got[8:16] == mad[8:16]:
                        return got[64:128] if struct.unpack_from(">H", got, 4)[0] & 0x7F == 0 \
                            else None
            except socket.timeout:
                continue
        return None


def walk(fabric):
    """Yields (type, GUID, ports, name) of each node, the nearest first."""
    seen = set()
    ahead = collections.deque([[]])
    while ahead:
        path = ahead.popleft()
        info = fabric.get(NODE_INFO, path)
        if not info:
            continue
        kind, ports, guid, arrived_by = info[2], info[3], info[12:20], info[36]
        if guid in seen:
            continue
        seen.add(guid)
        name = fabric.get(NODE_DESCRIPTION, path) or b""
        yield TYPES.get(kind, "?"), guid.hex(), ports, name.rstrip(b"\0").decode(errors="replace")
        if kind == 2:
            ahead += [path + [port] for port in range(1, ports + 1) if port != arrived_by]
        elif not path:
            ahead.append([fabric.port])


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    for found in walk(Fabric(sys.argv[1], sys.argv[2])):
        print('{} 0x{} {} ports "{}"'.format(*found))
