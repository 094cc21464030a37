#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The fabric daemon's protocol from the other side: clients as docs/fabric-protocol.md has them,
clients that break every rule, and clients that are killed or stopped while others go on."""
import array
import contextlib
import fcntl
import json
import mmap
import multiprocessing
import os
import pathlib
import random
import signal
import socket
import struct
import subprocess
import sys
import time

import tap

MAGIC, VERSION = 0x74666577, 1
(HELLO, AGENT_ADD, AGENT_REMOVE, NODE_QUERY, PORT_QUERY, ISSM_PATH, ISSM, COMMAND) = range(1, 9)
PACKET = 16
WELCOME, REFUSED, RESULT, NODE, PORT, PATH, TEXT = range(32, 39)
RINGS, SOCKET, QUERY, CONTROL = range(1, 5)
INVALID, FULL, STATE, CONFLICT, NOT_FOUND, FORMAT = -1, -2, -4, -6, -8, -9
HEAD = struct.Struct("=IHH")
ROUTE = struct.Struct("=HHBBBBIIIHHBBBBI16s16s")
SLOTS, SLOT_BYTES, TO_DAEMON, TO_CLIENT = 512, 320, 192, 164160
RINGS_BYTES = 328128
IS_SM = 1 << 1
SMALL = "fat-tree:hosts=16,radix=4"
# What normally takes a fraction of a second.
DEADLINE_S = 30


def wait_until(condition, what):
    deadline = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline, f"not within {DEADLINE_S} s: {what}"
        time.sleep(0.01)


class Daemon:
    """A fabric that is served."""

    def __init__(self, folder, *words, topology=SMALL):
        self.path = str(pathlib.Path(folder, "s"))
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            [tap.weft(), "fabric", "--topology", topology, "--listen", self.path, "--up", *words],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        assert "listens" in line, line + self.process.communicate()[1]
        self.last_words = 0, ""

    def files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def status(self):
        """Its counters."""
        with Client(self.path, CONTROL) as c:
            return {name: int(value) if value.isdigit() else value for name, value in
                    (line.split() for line in c.command("status").splitlines())}

    def end(self):
        """Ends it; a daemon that a client has harmed does not end well."""
        self.process.send_signal(signal.SIGTERM)
        _, said = self.process.communicate(timeout=DEADLINE_S)
        tap.equal((self.process.returncode, said), self.last_words, "exit code and stderr")


@contextlib.contextmanager
def served(*words, **options):
    with tap.scratch() as folder:
        daemon = Daemon(folder, *words, **options)
        try:
            yield daemon
            daemon.end()
            tap.equal(os.listdir(folder), [], "what is left in its folder")
        finally:
            if daemon.process.poll() is None:
                daemon.process.kill()
                daemon.process.communicate()


class Client:
    """A client; role None says no HELLO."""

    def __init__(self, path, role=SOCKET, node="host-00001", port=0, program=b"test", vf=0):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(DEADLINE_S)
        self.socket.connect(path)
        self.next = 0
        self.rings = None
        if role is None:
            return
        if role == CONTROL:
            node = ""
        self.send(HELLO, struct.pack("=BBB5x128s32s", role, port, vf, node.encode(), program))
        answer, fds, _, _ = socket.recv_fds(self.socket, 65536, 8)
        self.answer = answer
        if self.type(answer) != WELCOME:
            return
        tap.equal(len(answer), 32, "size of WELCOME")
        self.number, self.tid_first, self.tid_last, self.slots, self.port = \
            struct.unpack_from("=IIIIB", answer, 8)
        tap.equal(len(fds), 3 if role == RINGS else 0, "descriptors")
        if fds:
            self.rings = Rings(fds)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()
        if self.rings:
            self.rings.close()

    @staticmethod
    def type(message):
        return HEAD.unpack_from(message)[2]

    def send(self, kind, body=b"", *, magic=MAGIC, version=VERSION):
        self.socket.send(HEAD.pack(magic, version, kind) + body)

    def ask(self, kind, body=b""):
        self.send(kind, body)
        return self.socket.recv(65536)

    def result(self, kind, body=b""):
        """The error, value and text of a RESULT."""
        answer = self.ask(kind, body)
        tap.equal(self.type(answer), RESULT, "type")
        return result_of(answer)

    def command(self, line):
        answer = self.ask(COMMAND, line.encode() + b"\0")
        tap.equal(self.type(answer), TEXT, f"type of {answer!r}")
        return answer[8:].split(b"\0")[0].decode()

    def capability(self):
        return struct.unpack_from("=I", self.ask(PORT_QUERY, struct.pack("=II", self.port, 0)),
                                  24)[0]

    def smp(self, attribute=0x11, path=()):
        """A directed-route Get with a transaction id of its own: the bytes of a packet."""
        self.next += 1
        mad = bytearray(256)
        struct.pack_into(">BBBBHBBQH", mad, 0, 1, 0x81, 1, 1, 0, 0, len(path),
                         self.tid_first << 32 | self.next, attribute)
        struct.pack_into(">HH", mad, 32, 0xFFFF, 0xFFFF)
        mad[129:129 + len(path)] = bytes(path)
        return ROUTE.pack(0xFFFF, 0xFFFF, *[0] * 14, b"", b"") + mad

    def ping(self):
        """A request and its answer, whichever the role; other packets are taken and forgotten."""
        packet = self.smp(path=(1,))
        if self.rings:
            self.rings.put(packet)
            answer = self.rings.take()
            while answer[64 + 8:64 + 16] != packet[64 + 8:64 + 16]:
                answer = self.rings.take()
        else:
            answer = self.ask(PACKET, packet)[8:]
            while answer[64 + 8:64 + 16] != packet[64 + 8:64 + 16]:
                answer = self.socket.recv(65536)[8:]
        tap.equal((answer[64 + 3], answer[64 + 5]), (0x81, 0), "method and status")

    def refusal(self):
        """The error and the text by which the daemon disconnects."""
        while True:
            answer = self.socket.recv(65536)
            assert answer, "disconnected without a word"
            if self.type(answer) == REFUSED:
                break
        tap.equal(self.socket.recv(65536), b"", "after REFUSED")
        err, _, text = result_of(answer)
        return err, text


def result_of(answer):
    tap.equal(len(answer), 272, "size of a result")
    err, value = struct.unpack_from("=iI", answer, 8)
    return err, value, answer[16:].split(b"\0")[0].decode()


class Rings:
    """The shared memory and its bells. Python has no atomic operations, but storing an item of a
    view of words is one store. (struct.pack_into() is two: it clears what it writes to.)"""

    def __init__(self, fds):
        self.fds = fds
        self.memory = mmap.mmap(fds[0], RINGS_BYTES)
        self.words = memoryview(self.memory).cast("I")
        self.taken = 0

    def close(self):
        self.words.release()
        self.memory.close()
        for fd in self.fds:
            os.close(fd)

    def get(self, at):
        return self.words[at // 4]

    def set(self, at, value):
        self.words[at // 4] = value & 0xFFFFFFFF

    def ring(self):
        os.write(self.fds[1], struct.pack("=Q", 1))

    def put(self, packet):
        written = self.get(TO_DAEMON)
        at = TO_DAEMON + 128 + written % SLOTS * SLOT_BYTES
        self.memory[at:at + SLOT_BYTES] = packet
        self.set(TO_DAEMON, written + 1)
        # The daemon may have gone to sleep while this was done: one ring too many does no harm.
        self.ring()

    def take(self):
        deadline = time.monotonic() + DEADLINE_S
        while self.get(TO_CLIENT) == self.taken:
            assert time.monotonic() < deadline, "no packet came"
            assert not self.get(128), "disconnected"
        at = TO_CLIENT + 128 + self.taken % SLOTS * SLOT_BYTES
        packet = bytes(self.memory[at:at + SLOT_BYTES])
        self.taken += 1
        self.set(TO_CLIENT + 64, self.taken)
        return packet


def test_the_example_client_finds_every_node():
    with served() as daemon:
        example = tap.ROOT / "examples" / "fabric_client.py"
        done = tap.run([sys.executable, example, daemon.path, "host-00003"])
        tap.succeeds(done)
        with Client(daemon.path, CONTROL) as c:
            wanted = {line.split()[0] for line in c.command("nodes").splitlines()}
        found = [line.split()[1] for line in done.stdout.splitlines()]
        tap.equal(sorted(found), sorted(wanted), "GUIDs")
        tap.contains(done.stdout, '"host-00003"')
        assert len(example.read_text(encoding="utf-8").splitlines()) <= 100
        done = tap.run([sys.executable, example, daemon.path, "host-0003"])
        tap.equal(done.returncode, 1)
        tap.contains(done.stderr, "host-00003")


def test_both_kinds_of_clients_get_answers():
    with served() as daemon:
        for role in (SOCKET, RINGS):
            with Client(daemon.path, role) as c:
                tap.equal(c.slots, SLOTS if role == RINGS else 0)
                for _ in range(2000):
                    c.ping()
        status = daemon.status()
        tap.equal((status["packets_in"], status["packets_out"]), (4000, 4000))
        tap.equal((status["clients"], status["clients_thrown"]), (1, 0))
        tap.equal(status["attachments"], 0)


def test_a_client_learns_about_its_node():
    with served() as daemon:
        for role in (SOCKET, RINGS, QUERY):
            with Client(daemon.path, role) as c:
                node = c.ask(NODE_QUERY)
                tap.equal((c.type(node), len(node)), (NODE, 168))
                guid, kind, ports = struct.unpack_from("=Q26xBB", node, 8)[0], node[34], node[35]
                tap.equal((kind, ports), (1, 1))
                tap.equal(node[40:].split(b"\0")[0], b"host-00001")
                port = c.ask(PORT_QUERY, struct.pack("=II", 1, 0))
                tap.equal((c.type(port), len(port)), (PORT, 2096))
                _, prefix, _, lid, _, rate = struct.unpack_from("=QQIHHH", port, 8)
                tap.equal((prefix, rate > 0, lid > 0), (0xFE80 << 48, True, True))
                tap.equal((port[36], port[37], port[41]), (4, 5, 1), "states and number")
                tap.equal(struct.unpack_from("=HH", port, 42)[1], 0xFFFF, "first P_Key")
                tap.equal(struct.unpack_from("=I", port, 2092)[0], 0, "reregisters")
                for number in (0, 2, 255, 256, 0xFFFFFFFF):
                    err, _, text = c.result(PORT_QUERY, struct.pack("=II", number, 0))
                    tap.equal(err, INVALID, text)
        # by GUID, by LID, and what is not there
        for name in (f"{guid:016x}", f"0x{guid:x}", f"lid:{lid}"):
            with Client(daemon.path, QUERY, name) as c:
                tap.equal(c.ask(NODE_QUERY), node)
        for role, name, port, err in ((SOCKET, "host-1", 0, NOT_FOUND), (RINGS, "", 0, NOT_FOUND),
                                      (SOCKET, "host-00001", 2, INVALID),
                                      (RINGS, "leaf-0001", 1, INVALID),
                                      (QUERY, "host-00001", 200, INVALID)):
            with Client(daemon.path, role, name, port) as c:
                tap.equal(c.type(c.answer), REFUSED)
                tap.equal(result_of(c.answer)[0], err, result_of(c.answer)[2])
        with Client(daemon.path, SOCKET, "leaf-0001") as c:
            tap.equal(c.port, 0)
        tap.equal(daemon.status()["clients_thrown"], 0)


def agent(qpn, mgmt_class, version, methods):
    return struct.pack("=BBB3x2xQQ", qpn, mgmt_class, version, methods, 0)


def test_claims_bring_what_nobody_has_asked_for():
    with served() as daemon, Client(daemon.path) as server, Client(daemon.path) as rival, \
            Client(daemon.path, RINGS, "host-00002") as asker:
        err, number, _ = server.result(AGENT_ADD, agent(1, 3, 2, 1 << 1))
        tap.equal(err, 0)
        for claim, wanted in ((agent(1, 3, 2, 1 << 1 | 1 << 2), CONFLICT),
                              (agent(2, 3, 2, 1 << 2), INVALID)):
            err, _, text = rival.result(AGENT_ADD, claim)
            tap.equal((err, text != ""), (wanted, True))
        lid = struct.unpack_from("=H", rival.ask(PORT_QUERY, struct.pack("=II", 1, 0)), 28)[0]
        # a Get of class 3, attribute ClassPortInfo
        mad = bytearray(256)
        struct.pack_into(">BBBBHHQH", mad, 0, 1, 3, 2, 1, 0, 0, asker.tid_first << 32 | 77, 1)
        packet = ROUTE.pack(0, lid, 0, 0, 0, 0, 1, 1, 0x80010000, *[0] * 7, b"", b"") + mad
        asker.rings.put(packet)
        came = server.socket.recv(65536)
        tap.equal((server.type(came), came[72:]), (PACKET, bytes(mad)))
        # and the answer goes back
        mad[3] = 0x81
        slid = struct.unpack_from("=H", came, 8)[0]
        server.send(PACKET, ROUTE.pack(0, slid, 0, 0, 0, 0, 1, 1, 0x80010000, *[0] * 7, b"", b"")
                    + mad)
        tap.equal(asker.rings.take()[64:], bytes(mad))
        tap.equal(server.result(AGENT_REMOVE, struct.pack("=II", number, 0))[0], 0)
        tap.equal(server.result(AGENT_REMOVE, struct.pack("=II", number, 0))[0], NOT_FOUND)
        tap.equal(rival.result(AGENT_ADD, agent(1, 3, 2, 1 << 1))[0], 0)
        rival.close()

        def free_again():
            return server.result(AGENT_ADD, agent(1, 3, 2, 1 << 1))[0] == 0

        wait_until(free_again, "a client that has gone gives up its claims")


def hello(role=SOCKET, node=b"host-00001", program=b"x"):
    return struct.pack("=BB6x128s32s", role, 0, node, program)


def breaches():
    """Ways to break the protocol: what, the role before, the message, a word of the refusal."""
    head = HEAD.pack
    for role in (None, SOCKET, RINGS, QUERY, CONTROL):
        yield "empty head", role, b"x", "no message"
        yield "magic", role, head(MAGIC ^ 1, VERSION, HELLO) + hello(), "no message"
        yield "version", role, head(MAGIC, 2, HELLO) + hello(), "version 1"
        for kind in (0, 9, 15, 17, 31, WELCOME, REFUSED, RESULT, TEXT, 39, 65535):
            yield "type", role, head(MAGIC, VERSION, kind), f"type {kind}"
    for kind, bytes_ in ((HELLO, 168), (AGENT_ADD, 24), (NODE_QUERY, 0), (PACKET, 320)):
        role = None if kind == HELLO else SOCKET
        for wrong in {max(bytes_ - 1, 1), bytes_ + 1, 60000} - {bytes_}:
            yield "size", role, head(MAGIC, VERSION, kind) + bytes(wrong), "bytes"
    yield "longer than any", SOCKET, head(MAGIC, VERSION, PACKET) + bytes(65536), "bytes"
    for kind in (AGENT_ADD, NODE_QUERY, ISSM, PACKET, COMMAND):
        yield "before HELLO", None, head(MAGIC, VERSION, kind), "before HELLO"
    for role in (SOCKET, RINGS, QUERY, CONTROL):
        yield "second HELLO", role, head(MAGIC, VERSION, HELLO) + hello(), "not for this role"
    yield "packet by message", RINGS, head(MAGIC, VERSION, PACKET) + bytes(320), "not for this"
    yield "packet by QUERY", QUERY, head(MAGIC, VERSION, PACKET) + bytes(320), "not for this"
    yield "agent of QUERY", QUERY, head(MAGIC, VERSION, AGENT_ADD) + bytes(24), "not for this"
    yield "command of a port", SOCKET, head(MAGIC, VERSION, COMMAND) + b"status\0", "not for this"
    yield "text without end", CONTROL, head(MAGIC, VERSION, COMMAND) + b"status", "zero"
    yield "no text", CONTROL, head(MAGIC, VERSION, COMMAND), "zero"
    yield "transaction id", SOCKET, head(MAGIC, VERSION, PACKET) + bytes(320), "packet 1"


def test_whoever_breaks_the_protocol_is_told_how_and_disconnected():
    with served() as daemon, Client(daemon.path, RINGS, "host-00002") as other:
        other.ping()
        files = daemon.files()
        count = 0
        for what, role, message, word in breaches():
            with Client(daemon.path, role) as c:
                c.socket.send(message)
                err, text = c.refusal()
                assert err < 0, what
                tap.contains(text, word, what)
            other.ping()
            count += 1
        tap.equal(daemon.status()["clients_thrown"], count)
        wait_until(lambda: daemon.files() == files, "all descriptors are closed")


def test_R144_a_virtual_function_has_its_own_P_Keys():
    with served("--vfs", "2") as daemon, Client(daemon.path, CONTROL) as control:
        for line in ("pkey host-00001/1 3 0x8001", "vf host-00001 2 pkey 7 3"):
            tap.equal(control.command(line), "")
        for role in (SOCKET, RINGS, QUERY):
            for vf, wanted in ((0, (0x8001, 0)), (1, (0, 0)), (2, (0, 0x8001))):
                with Client(daemon.path, role, vf=vf) as c:
                    port = c.ask(PORT_QUERY, struct.pack("=II", 1, 0))
                    count, *keys = struct.unpack_from("=H8H", port, 42)
                    tap.equal((count, (keys[3], keys[7])), (127, wanted))
            for node, vf in (("host-00001", 3), ("host-00001", 255), ("leaf-0001", 1)):
                with Client(daemon.path, role, node, vf=vf) as c:
                    tap.equal(result_of(c.answer)[0], NOT_FOUND)
                    tap.contains(result_of(c.answer)[2], f"no virtual function {vf}")
        with Client(daemon.path, SOCKET, vf=2):
            tap.contains(control.command("clients"), " port 1 function 2 ")
            tap.contains(control.command("functions"),
                         "port 1 function 2 programs 1 events 1 pkeys 0=0:0xffff 7=3:0x8001\n")
            pages = json.loads(control.command("functions json from 1"))
            tap.equal(pages["functions"][0]["function"], 1)
        tap.equal(daemon.status()["clients_thrown"], 0)


def test_a_hello_that_cannot_be_is_answered():
    with served() as daemon:
        for body, word in ((hello(role=0), "role 0"), (hello(role=9), "role 9"),
                           (hello(node=b"x" * 128), "zero"), (hello(program=b"x" * 32), "zero"),
                           (hello(node=b"\x1b[2J\xff\n"), "no node")):
            with Client(daemon.path, None) as c:
                c.send(HELLO, body)
                _, text = c.refusal()
                tap.contains(text, word)
                assert text.isprintable(), repr(text)


def test_descriptors_that_clients_send_are_closed():
    with served() as daemon, Client(daemon.path) as c:
        c.ping()
        files = daemon.files()
        for count in (1, 3, 100):
            fds = array.array("i", [c.socket.fileno()] * count)
            c.socket.sendmsg([HEAD.pack(MAGIC, VERSION, NODE_QUERY)],
                             [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)])
            tap.equal(c.type(c.socket.recv(65536)), NODE)
        tap.equal(daemon.files(), files)


def bad_rings():
    """What a client may do to the shared memory."""
    for ahead in (SLOTS + 1, 1 << 31, 0xFFFFFFFF):
        yield "positions", lambda c, ahead=ahead: c.rings.set(TO_DAEMON, ahead)
    # a request whose answer would find its way to somebody else
    packet = bytearray(ROUTE.pack(0xFFFF, 0xFFFF, *[0] * 14, b"", b"")
                       + struct.pack(">BBBBHBBQH", 1, 0x81, 1, 1, 0, 0, 0, 0, 0x11)
                       + bytes(256 - 18))
    yield "packet 1", lambda c: c.rings.put(packet)


def test_memory_with_impossible_content_disconnects_its_owner_alone():
    with served() as daemon, Client(daemon.path, RINGS, "host-00002") as other:
        for word, act in bad_rings():
            with Client(daemon.path, RINGS) as c:
                act(c)
                c.rings.ring()
                err, text = c.refusal()
                assert err < 0
                tap.contains(text, word)
                tap.equal(c.rings.get(128), 1, "closed")
            other.ping()


def test_who_is_thrown_out_takes_nobody_along():
    """All of them are looked at in one round, the one that is thrown out first."""
    with served() as daemon, contextlib.ExitStack() as stack:
        others = [stack.enter_context(Client(daemon.path, RINGS, f"host-{i:05}"))
                  for i in range(2, 6)]
        for c in others:
            c.ping()
        for _ in range(10):
            with Client(daemon.path, RINGS) as bad:
                bad.ping()
                daemon.process.send_signal(signal.SIGSTOP)
                bad.tid_first = 0
                bad.rings.put(bad.smp())
                for c in others:
                    c.rings.put(c.smp(path=(1,)))
                daemon.process.send_signal(signal.SIGCONT)
                bad.refusal()
            for c in others:
                c.rings.take()
        status = daemon.status()
        tap.equal((status["clients_thrown"], status["attachments"]), (10, len(others)))


def test_packets_that_cannot_be_are_lost_and_their_sender_stays():
    fields = {"sl": (12, b"\x10"), "path bits": (13, b"\x80"), "GRH": (14, b"\x02"),
              "reserved": (15, b"\x01"), "source QP": (16, b"\x02"), "QP": (23, b"\x01"),
              "reserved2": (35, b"\x01")}
    with served() as daemon:
        for role in (SOCKET, RINGS):
            with Client(daemon.path, role) as c:
                before = daemon.status()
                for at, value in fields.values():
                    packet = bytearray(c.smp())
                    packet[at - 8:at - 8 + len(value)] = value
                    if role == RINGS:
                        c.rings.put(packet)
                    else:
                        c.send(PACKET, packet)
                c.ping()
                # an index beyond the P_Key table
                packet = bytearray(c.smp())
                struct.pack_into("=HHIIIH", packet, 0, 0, 1, 0, 0, 0, 0)
                struct.pack_into("=IIIH", packet, 8, 1, 1, 0x80010000, 4000)
                packet[65] = 3
                if role == RINGS:
                    c.rings.put(packet)
                else:
                    c.send(PACKET, packet)
                c.ping()
                after = daemon.status()
                tap.equal(after["dropped_unclaimed"] - before["dropped_unclaimed"], len(fields))
                tap.equal(after["dropped_key"] - before["dropped_key"], 1)
        tap.equal(daemon.status()["clients_thrown"], 0)


def test_memory_that_is_scribbled_on_harms_its_owner_alone():
    rng = random.Random(1)
    with served() as daemon, Client(daemon.path, RINGS, "host-00002") as other:
        for round_ in range(60):
            with Client(daemon.path, RINGS) as c:
                # bells that block, bells that are full, holes in the memory
                if round_ % 3 == 0:
                    for fd in c.rings.fds[1:]:
                        fcntl.fcntl(fd, fcntl.F_SETFL, 0)
                    os.write(c.rings.fds[1], struct.pack("=Q", 0xFFFFFFFFFFFFFFFE))
                for _ in range(200):
                    at = rng.choice((0, 64, 128, TO_DAEMON, TO_DAEMON + 64, TO_DAEMON + 68,
                                     TO_CLIENT, TO_CLIENT + 64, TO_CLIENT + 68,
                                     rng.randrange(0, RINGS_BYTES - 4, 4)))
                    c.rings.set(at, rng.choice((0, 1, SLOTS, rng.getrandbits(32))))
                for _ in range(rng.randrange(5)):
                    c.rings.memory[TO_DAEMON + 128:TO_DAEMON + 128 + 40 * SLOT_BYTES] = \
                        rng.randbytes(40 * SLOT_BYTES)
                    c.rings.set(TO_DAEMON, c.rings.get(TO_DAEMON) + rng.randrange(40))
                    if round_ % 3:
                        c.rings.ring()
            other.ping()
        with Client(daemon.path, RINGS) as c:
            for size in (0, 4096, 1 << 30):
                try:
                    os.ftruncate(c.rings.fds[0], size)
                except PermissionError:
                    continue
                raise AssertionError("the memory can be resized")
            c.ping()
        tap.equal(daemon.status()["attachments"], 1)


def test_random_messages_harm_nobody_else():
    rng = random.Random(2)
    seeds = [HEAD.pack(MAGIC, VERSION, HELLO) + hello(),
             HEAD.pack(MAGIC, VERSION, AGENT_ADD) + agent(1, 3, 2, 6),
             HEAD.pack(MAGIC, VERSION, NODE_QUERY), HEAD.pack(MAGIC, VERSION, ISSM_PATH),
             HEAD.pack(MAGIC, VERSION, ISSM) + bytes(8),
             HEAD.pack(MAGIC, VERSION, PORT_QUERY) + struct.pack("=II", 1, 0),
             HEAD.pack(MAGIC, VERSION, COMMAND) + b"nodes json from 3\0",
             HEAD.pack(MAGIC, VERSION, COMMAND) + b"link host-00009/1 down\0"]
    with served() as daemon, Client(daemon.path, RINGS, "host-00002") as other:
        for _ in range(300):
            with Client(daemon.path, rng.choice((None, SOCKET, RINGS, QUERY, CONTROL))) as c:
                c.socket.settimeout(0)
                for _ in range(rng.randrange(20)):
                    message = bytearray(rng.choice(seeds))
                    if hasattr(c, "tid_first") and rng.random() < 0.3:
                        message = bytearray(HEAD.pack(MAGIC, VERSION, PACKET) + c.smp())
                    for _ in range(rng.choice((0, 0, 1, 3))):
                        message[rng.randrange(len(message))] = rng.getrandbits(8)
                    if rng.random() < 0.1:
                        del message[rng.randrange(1, len(message)):]
                    try:
                        c.socket.send(message)
                        if rng.random() < 0.5:
                            c.socket.recv(65536)
                    except (BlockingIOError, BrokenPipeError, ConnectionResetError):
                        continue
            other.ping()
        tap.equal(daemon.status()["attachments"], 1)


def flood(c):
    """Sends as much as the socket takes, at most a thousand packets."""
    with contextlib.suppress(BlockingIOError):
        for _ in range(1000):
            c.socket.send(HEAD.pack(MAGIC, VERSION, PACKET) + c.smp())
    return True


def test_a_client_that_reads_nothing_is_bounded_and_delays_nobody():
    with served() as daemon, Client(daemon.path) as mute, \
            Client(daemon.path, CONTROL) as lazy, Client(daemon.path, RINGS) as full, \
            Client(daemon.path, RINGS, "host-00002") as other:
        mute.socket.settimeout(0)
        lazy.socket.settimeout(0)
        for c, message in ((lazy, HEAD.pack(MAGIC, VERSION, COMMAND) + b"nodes\0"),
                           (mute, None)):
            with contextlib.suppress(BlockingIOError):
                for _ in range(20000):
                    c.socket.send(message or HEAD.pack(MAGIC, VERSION, PACKET) + c.smp())
            other.ping()
        for _ in range(SLOTS):
            full.rings.put(full.smp())
        # It has no room for more answers, and its requests wait.
        wait_until(lambda: full.rings.get(TO_DAEMON + 64) >= SLOTS - 16, "the ring is taken")
        for _ in range(16):
            full.rings.put(full.smp())
        for _ in range(500):
            other.ping()
        assert full.rings.get(TO_DAEMON + 64) <= SLOTS
        # However early its own sends were refused: it sends until its answers find no room.
        wait_until(lambda: flood(mute) and daemon.status()["receiver_full"] > 0,
                   "a packet is dropped because its receiver is full")
        # Who begins to read is served again.
        for _ in range(SLOTS + 16):
            full.rings.take()
            full.rings.ring()
        full.ping()
        lazy.socket.settimeout(DEADLINE_S)
        for _ in range(20):
            tap.equal(lazy.type(lazy.socket.recv(65536)), TEXT)


def test_there_is_a_limit_to_clients_with_a_word():
    with served("--clients", "3") as daemon:
        clients = [Client(daemon.path) for _ in range(3)]
        with Client(daemon.path, None) as c:
            err, text = c.refusal()
            tap.equal(err, FULL)
            tap.contains(text, "as many clients as it may")
        clients[1].close()

        def let_in():
            with Client(daemon.path, None) as c:
                with contextlib.suppress(BrokenPipeError):
                    c.send(HELLO, hello())
                return c.type(c.socket.recv(65536)) == WELCOME

        wait_until(let_in, "the place of a client that has gone is free")
        for c in clients:
            c.close()
        wait_until(let_in, "places are free")


def test_a_query_needs_no_place_for_a_program():
    with served() as daemon:
        for _ in range(5):
            with Client(daemon.path, QUERY) as query:
                tap.equal((query.type(query.answer), query.port), (WELCOME, 1))
                tap.equal(query.type(query.ask(NODE_QUERY)), NODE)
        with Client(daemon.path) as first:
            tap.equal(first.tid_first, 1 << 8, "the first place was free")


def test_two_hundred_clients_at_a_time():
    with served("--clients", "250", topology="fat-tree:hosts=36,radix=12") as daemon:
        with contextlib.ExitStack() as stack:
            clients = [stack.enter_context(Client(daemon.path, (SOCKET, RINGS)[i % 2],
                                                  f"host-{i % 36 + 1:05}")) for i in range(200)]
            tids = sorted((c.tid_first, c.tid_last) for c in clients)
            assert all(a[1] < b[0] for a, b in zip(tids, tids[1:])), "ranges overlap"
            for _ in range(5):
                for c in clients:
                    c.ping()
            tap.equal(daemon.status()["attachments"], 200)
        wait_until(lambda: daemon.status()["attachments"] == 0, "all are detached")


def run_busy(path, role, started):
    """A client that sends and receives until it is killed."""
    with Client(path, role, "host-00003") as c:
        c.result(AGENT_ADD, agent(1, 3, 2, 1 << 1))
        c.result(ISSM, struct.pack("=II", 1, 0))
        started.set()
        while True:
            c.ping()


def busy(path, role):
    started = multiprocessing.Event()
    child = multiprocessing.Process(target=run_busy, args=(path, role, started), daemon=True)
    child.start()
    assert started.wait(DEADLINE_S)
    return child


def test_a_client_that_is_killed_leaves_nothing():
    rng = random.Random(3)
    with served() as daemon, Client(daemon.path, RINGS, "host-00002") as other, \
            Client(daemon.path, QUERY, "host-00003") as watcher:
        for round_ in range(12):
            child = busy(daemon.path, (SOCKET, RINGS)[round_ % 2])
            assert watcher.capability() & IS_SM
            time.sleep(rng.random() * 0.02)
            child.kill()
            child.join(DEADLINE_S)
            other.ping()
            wait_until(lambda: not watcher.capability() & IS_SM, "IsSM is cleared")
        tap.equal(daemon.status()["attachments"], 1)


def test_a_client_that_is_stopped_delays_nobody():
    with served() as daemon, Client(daemon.path, RINGS, "host-00002") as other:
        children = [busy(daemon.path, role) for role in (RINGS,)]
        try:
            for child in children:
                os.kill(child.pid, signal.SIGSTOP)
            # What is for it alone piles up in its ring, or is dropped.
            for _ in range(2000):
                other.ping()
            for child in children:
                os.kill(child.pid, signal.SIGCONT)
            other.ping()
        finally:
            for child in children:
                child.kill()
                child.join(DEADLINE_S)


def test_who_says_no_hello_is_sent_away():
    with served() as daemon, Client(daemon.path, None) as c:
        err, text = c.refusal()
        tap.equal(err, STATE)
        tap.contains(text, "no HELLO")


def test_issm_by_message_ends_with_its_client():
    with served() as daemon, Client(daemon.path, QUERY) as watcher:
        with Client(daemon.path) as one, Client(daemon.path) as two:
            for c in (one, two):
                tap.equal(c.result(ISSM, struct.pack("=II", 1, 0))[0], 0)
            assert watcher.capability() & IS_SM
            one.result(ISSM, struct.pack("=II", 0, 0))
            assert watcher.capability() & IS_SM
        wait_until(lambda: not watcher.capability() & IS_SM, "IsSM is cleared")


def test_issm_by_file_is_set_while_anybody_has_it_open():
    with served("--mode", "0640") as daemon, Client(daemon.path, QUERY) as c:
        path = c.ask(ISSM_PATH)[8:].split(b"\0")[0].decode()
        assert path.startswith("/"), path
        tap.equal(c.ask(ISSM_PATH)[8:].split(b"\0")[0].decode(), path)
        tap.equal((os.stat(path).st_mode & 0o777, os.stat(os.path.dirname(path)).st_mode & 0o777),
                  (0o640, 0o750))
        with Client(daemon.path, QUERY, "host-00002") as other:
            assert other.ask(ISSM_PATH)[8:].split(b"\0")[0].decode() != path
            for _ in range(20):
                one = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
                wait_until(lambda: c.capability() & IS_SM, "IsSM is set")
                two = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
                os.close(one)
                c.ask(NODE_QUERY)
                assert c.capability() & IS_SM
                os.close(two)
                wait_until(lambda: not c.capability() & IS_SM, "IsSM is cleared")
            for _ in range(200):
                os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
            wait_until(lambda: not c.capability() & IS_SM, "IsSM is cleared after a flurry")
            keep = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
            wait_until(lambda: c.capability() & IS_SM, "IsSM is set after a flurry")
            os.close(keep)
            assert not other.capability() & IS_SM
        # An open that may wait does not have to.
        with subprocess.Popen([sys.executable, "-c", f"import os\nos.open({path!r}, os.O_RDONLY)\n"
                               "import signal\nsignal.pause()"]) as child:
            try:
                wait_until(lambda: c.capability() & IS_SM, "IsSM is set")
            finally:
                child.kill()
        wait_until(lambda: not c.capability() & IS_SM, "IsSM is cleared by SIGKILL")


def test_only_the_daemon_may_make_files_beside_those_for_issm():
    for mode, folder in (("0666", 0o755), ("0600", 0o700), ("0660", 0o750), ("0777", 0o755)):
        with served("--mode", mode) as daemon, Client(daemon.path, QUERY) as c:
            path = c.ask(ISSM_PATH)[8:].split(b"\0")[0].decode()
            tap.equal(oct(os.stat(os.path.dirname(path)).st_mode & 0o7777), oct(folder), mode)
            tap.equal(oct(os.stat(path).st_mode & 0o7777), oct(int(mode, 8) & 0o666), mode)


def test_long_answers_come_in_pages():
    with served(topology="fat-tree:hosts=5832,radix=36") as daemon, \
            Client(daemon.path, CONTROL) as c:
        lines, pages, at = [], 0, 0
        while at is not None:
            page = c.command(f"nodes from {at}" if at else "nodes").splitlines()
            at = int(page.pop().split()[1]) if page[-1].startswith("... ") else None
            lines += page
            pages += 1
        tap.equal(len(set(lines)), 5832 + 810)
        assert pages > 1
        tap.equal(c.command("nodes from 100000"), "")
        for line in ("nodes json from", "nodes from x", "status now", "nodes from 1 json"):
            err, _, text = c.result(COMMAND, line.encode() + b"\0")
            tap.equal((err, text != ""), (FORMAT, True), line)
        err, _, text = c.result(COMMAND, b"x" * 5000 + b"\0")
        tap.equal(err, FORMAT, text)


def pages(client, question, more=lambda: None):
    """All lines of a list."""
    lines, at = [], 0
    while at is not None:
        page = client.command(f"{question} from {at}" if at else question).splitlines()
        at = int(page.pop().split()[1]) if page and page[-1].startswith("... ") else None
        lines += page
        more()
    return lines


def test_lists_of_faults_are_whole():
    with served(topology="fat-tree:hosts=1024,radix=32") as daemon, \
            Client(daemon.path, CONTROL) as c, Client(daemon.path, CONTROL) as other:
        wanted = []
        for i in range(1, 601):
            c.command(f"node host-{i:05} dead")
            wanted.append(f'node "host-{i:05}" dead')
        # a line that escapes make much longer, as it was given
        said = "at 1h node host-00001 alive # "
        long = ": " + said + r"\xc2\x80" * 110
        for _ in range(90):
            c.command(said + "\u0080" * 110)
        lines = pages(c, "faults")
        tap.equal(sorted(lines[:600]), wanted)
        tap.equal(len(lines), 690)
        assert all(line.endswith(long) for line in lines[600:]), lines[600]
        # whoever else reads meanwhile, or changes something
        other.command("node host-00700 dead")
        tap.equal(len(pages(c, "faults", lambda: other.command("faults"))), 691)
        other.command("node host-00700 alive")
        tap.equal(len(pages(c, "faults")), 690)
        tap.equal(c.command("faults from 100000"), "")


def read_pipe(end):
    """What is in a pipe now."""
    parts = []
    with contextlib.suppress(BlockingIOError):
        while part := os.read(end, 1 << 20):
            parts.append(part)
    return b"".join(parts)


# A packet without GRH in a capture.
PCAP_RECORD_BYTES = 16 + 306


def pcap_lengths(capture):
    """Which lengths the packets of a capture have."""
    lengths, at = set(), 24
    while at < len(capture):
        length = struct.unpack_from("=I", capture, at + 8)[0]
        lengths.add(length)
        at += 16 + length
    return lengths


def test_a_capture_whose_reader_sleeps_delays_nobody():
    with tap.scratch() as folder:
        pipe = os.path.join(folder, "p")
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        with served("--pcap", pipe) as daemon, Client(daemon.path, RINGS) as c:
            capture, pings = bytearray(), 0
            while daemon.status()["pcap_lost"] == 0:
                for _ in range(100):
                    c.ping()
                pings += 100
                assert pings < 100000, "nothing is ever lost"
            # The reader wakes up: all that waited and all that comes now are whole packets.
            lost = daemon.status()["pcap_lost"]
            size = 24 + (2 * pings - lost) * PCAP_RECORD_BYTES

            def read_all():
                capture.extend(read_pipe(reader))
                return len(capture) >= size

            wait_until(read_all, "what waited arrives")
            c.ping()
            size += 2 * PCAP_RECORD_BYTES
            wait_until(read_all, "the last ping arrives")
            tap.equal((len(capture), daemon.status()["pcap_lost"]), (size, lost))
            tap.equal(pcap_lengths(capture), {PCAP_RECORD_BYTES - 16})
            os.unlink(pipe)
            daemon.last_words = \
                1, f"weft: the capture {pipe} lacks {lost} packets: its reader was too slow\n"
        os.close(reader)


def test_a_script_that_no_daemon_keeps_up_with_stops_nobody():
    with served("--time-scale", "1000000") as daemon, Client(daemon.path, RINGS) as c, \
            Client(daemon.path, CONTROL) as control:
        for _ in range(4):
            control.command("every 1ms counter host-00002/1 rcv_errors add 1")
        for _ in range(3):
            c.ping()
        assert daemon.status()["scheduled"] == 4


def test_clients_are_told_that_the_fabric_has_ended():
    with served() as daemon:
        clients = [Client(daemon.path, role) for role in (SOCKET, RINGS, QUERY, CONTROL)]
        daemon.process.send_signal(signal.SIGTERM)
        daemon.process.wait(DEADLINE_S)
        for c in clients:
            tap.equal(c.socket.recv(65536), b"")
        tap.equal(clients[1].rings.get(128), 1)
        for c in clients:
            c.close()


if __name__ == "__main__":
    tap.main(globals())
