# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A TCP relay that knows iWARP's frames: it keeps them, and may change one on its way."""
import socket
import struct
import threading

TO_SERVER, TO_CLIENT = "to server", "to client"
SECONDS = 60


class Line:
    """Relays connections to a server. edit(direction, number, frame) gives what goes on instead of
    a frame; number 0 is the MPA request or reply, 1 the first FPDU. The end of a direction in
    `endless` is not passed on."""

    def __init__(self, server_port, edit=lambda direction, number, frame: frame, endless=()):
        self.server_port = server_port
        self.edit = edit
        self.endless = endless
        self.frames = {TO_SERVER: [], TO_CLIENT: []}
        self.sockets = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # A thread that waits in accept() or recv() is woken by shutdown, not by close.
        for sock in [self.listener, *self.sockets]:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            sock.close()

    def accept(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self.server_port), SECONDS)
            self.sockets += [client, server]
            for ends in ((TO_SERVER, client, server), (TO_CLIENT, server, client)):
                ends[2].setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=self.relay, args=ends, daemon=True).start()

    def relay(self, direction, source, sink):
        number, data = 0, b""
        try:
            while more := source.recv(65536):
                data += more
                while (size := frame_size(number, data)) and len(data) >= size:
                    frame, data = data[:size], data[size:]
                    self.frames[direction].append(frame)
                    sink.sendall(self.edit(direction, number, frame))
                    number += 1
            sink.sendall(data)
            if direction not in self.endless:
                sink.shutdown(socket.SHUT_WR)
        except OSError:
            # One side has reset the connection: the other one learns of it as well.
            for sock in (source, sink):
                try:
                    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    sock.close()
                except OSError:
                    pass


def frame_size(number, data):
    """How long the frame is that the data begin with; 0: nobody can tell."""
    if number == 0:
        return 20 + struct.unpack("!H", data[18:20])[0] if len(data) >= 20 else 0
    if len(data) < 2:
        return 0
    length = struct.unpack("!H", data[:2])[0]
    return 2 + length + -(length + 2) % 4 + 4


def opcode(fpdu):
    """RDMAP's, of an FPDU."""
    return fpdu[3] & 15


def flipped(fpdu):
    """An FPDU with one bit of its last byte of payload turned."""
    end = 2 + struct.unpack("!H", fpdu[:2])[0]
    return fpdu[:end - 1] + bytes([fpdu[end - 1] ^ 1]) + fpdu[end:]


def terminates(frames):
    """(first byte, code) of each Terminate among frames of one direction; its nibbles as sent."""
    return [(fpdu[20], fpdu[21]) for fpdu in frames[1:] if opcode(fpdu) == 7]
