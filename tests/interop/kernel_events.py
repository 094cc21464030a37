# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What a program of the kernel's connection manager is told of weft, and the other way round:
private data of requests, replies and rejections, and who ends a connection."""
import re
import subprocess

import guest
import iwarp_lab
import lab as labs
import line
import tap

OURS, THEIRS = b"weft was here", b"the kernel answers"
NOTHING = b""
# What siw calls a rejection.
ECONNRESET = 104
PRIVATE = ["--private", OURS.hex()]


def kernel_listens(lab, *words):
    """A program in the guest waits for requests, with private data, where weft finds it by
    lab.port."""
    lab.stop_server()
    program = lab.guest.start(f"rdmacm -l -p '{THEIRS.decode()}' {' '.join(words)} 0.0.0.0 "
                              f"{labs.PORT}", seconds=iwarp_lab.DEADLINE_S)
    lab.guest.listening(labs.PORT)
    return program


def kernel_connects(lab, port, *words):
    return lab.guest.start(f"rdmacm -p '{THEIRS.decode()}' {' '.join(words)} {guest.HOST} {port}",
                           seconds=iwarp_lab.DEADLINE_S)


def told(program, *events):
    """Fails the test unless these were all the events of connections that the program was told:
    (name, status, private data)."""
    _, said = program.wait()
    seen = [(name, int(status), bytes.fromhex(data)) for name, status, data in
            re.findall(r"^RDMA_CM_EVENT_(\w+) (-?\d+) (\w*)$", said, flags=re.M)
            if name not in ("ADDR_RESOLVED", "ROUTE_RESOLVED")]
    tap.equal(seen, list(events), said)


def weft(action, *words):
    """weft connects or listens; its connection ends with its input, by end()."""
    return iwarp_lab.Weft(["iwarp", action, *words, "--window", "0", *PRIVATE],
                          stdin=subprocess.PIPE)


def connect(lab):
    return weft("connect", "127.0.0.1", "--port", str(lab.port))


def listen():
    """weft waits for one connection: that and its port."""
    server = weft("listen", "--bind", "127.0.0.1", "--port", "0")
    said = server.wait_for(lambda: re.match(r"listening on \S+:(\d+)\n", server.said()[1]),
                           "listening")
    return server, int(said[1])


def end_behind(program, weft):
    """Ends weft's input once the kernel's program knows that the connection is up: to a siw that
    connects, an end right behind the reply is a refusal."""
    program.wait_for("RDMA_CM_EVENT_ESTABLISHED")
    weft.process.stdin.close()
    done = weft.wait().must()
    tap.contains(done.stderr, f"private data {THEIRS.hex()}", "what weft says")


def test_a_reject_of_the_kernel_reaches_weft_with_its_private_data(lab):
    lab.siw()
    program = kernel_listens(lab, "-r", "-n 2")
    done = lab.ping(*PRIVATE, port=lab.port, count=1).failed("rejected")
    tap.equal((done.json["rejected"], done.json["connection"]["private"]), (True, THEIRS.hex()))
    with connect(lab) as client:
        client.wait().failed("the peer rejected the connection; its private data: "
                             f"{THEIRS.hex()} \"{THEIRS.decode()}\"")
    told(program, *[("CONNECT_REQUEST", 0, OURS)] * 2)


def test_a_reject_of_weft_reaches_a_program_of_the_kernel_with_its_private_data(lab):
    lab.siw()
    # siw may be told of the end of the connection before it reads the reply.
    with lab.server(reject=OURS.hex()) as server, \
            line.Line(server.port, endless=(line.TO_CLIENT,)) as wire:
        told(kernel_connects(lab, wire.port), ("REJECTED", -ECONNRESET, OURS))
        tap.equal(server.end().json["rejected"], 1)


def test_private_data_of_both_sides_when_the_kernel_accepts_and_weft_ends(lab):
    lab.siw()
    program = kernel_listens(lab)
    with connect(lab) as client:
        end_behind(program, client)
    told(program, ("CONNECT_REQUEST", 0, OURS), ("ESTABLISHED", 0, NOTHING),
         ("DISCONNECTED", 0, NOTHING))


def test_private_data_of_both_sides_when_weft_accepts_and_ends(lab):
    lab.siw()
    server, port = listen()
    with server:
        program = kernel_connects(lab, port)
        end_behind(program, server)
    told(program, ("ESTABLISHED", 0, OURS), ("DISCONNECTED", 0, NOTHING))


def test_a_disconnect_of_the_kernel_ends_weft_in_either_role(lab):
    lab.siw()
    program = kernel_listens(lab, "-d")
    with connect(lab) as client:
        client.wait().must()
    told(program, ("CONNECT_REQUEST", 0, OURS), ("ESTABLISHED", 0, NOTHING),
         ("DISCONNECTED", 0, NOTHING))
    server, port = listen()
    with server:
        program = kernel_connects(lab, port, "-d")
        server.wait().must()
    told(program, ("ESTABLISHED", 0, OURS), ("DISCONNECTED", 0, NOTHING))
