# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""How connections with the kernel end: broken CRCs, a disconnect or a death on either side."""
import os
import signal

import guest
import iwarp_lab
import line
import tap

LLP, CRC = 2, 2
# The exit status of a program that SIGKILL has ended.
KILLED = 137
# How long rping may take to end once its connection has.
GRACE_S = 20


def break_one(direction, opcode):
    """An edit that turns a bit in the first frame of a kind in one direction."""
    done = []

    def edit(where, number, frame):
        if where == direction and number > 0 and line.opcode(frame) == opcode and not done:
            done.append(frame)
            return line.flipped(frame)
        return frame

    return edit


def said_crc(frames, *, swapped):
    """siw sends the first byte's nibbles in the other order."""
    tap.equal(line.terminates(frames), [(LLP if swapped else LLP << 4, CRC)], "Terminates")


def test_the_kernel_answers_a_bad_crc_with_a_terminate_that_weft_understands(lab):
    lab.siw()
    for opcode in (2, 3):
        with line.Line(lab.rping_server(), break_one(line.TO_SERVER, opcode)) as wire:
            lab.ping(port=wire.port, crc="on", count=3).failed("the peer ended it with a Terminate")
            said_crc(wire.frames[line.TO_CLIENT], swapped=True)
    lab.ping(crc="on", count=1).right(1)


def test_weft_answers_a_bad_crc_of_the_kernel_with_a_terminate(lab):
    lab.siw()
    # Write, Read Request, Send: none of them is acted upon.
    for opcode in (0, 1, 3):
        with line.Line(lab.rping_server(), break_one(line.TO_CLIENT, opcode)) as wire:
            done = lab.ping(port=wire.port, crc="on", count=3)
            done.failed("ended with a Terminate message to the peer")
            said_crc(wire.frames[line.TO_SERVER], swapped=False)
            tap.equal(done.json["right"], 0, str(done))
    lab.ping(crc="on", count=1).right(1)


def test_a_server_answers_a_bad_crc_of_the_kernels_client_with_a_terminate(lab):
    lab.siw()
    for opcode in (2, 3):
        with lab.server(crc="on") as server, \
                line.Line(server.port, break_one(line.TO_SERVER, opcode)) as wire:
            status, said = lab.rping(wire.port, count=3).wait()
            cut_short(status, said)
            said_crc(wire.frames[line.TO_CLIENT], swapped=False)
            server.end().must(iwarp_lab.PART)


def test_the_kernels_client_answers_a_bad_crc_of_a_server(lab):
    lab.siw()
    with lab.server(crc="on") as server, \
            line.Line(server.port, break_one(line.TO_CLIENT, 0)) as wire:
        status, said = lab.rping(wire.port, count=3).wait()
        cut_short(status, said)
        said_crc(wire.frames[line.TO_SERVER], swapped=True)
        tap.contains(server.end().json["clients"][0]["error"], "the peer ended it", "error")


def cut_short(status, said, statuses=(0,)):
    """rping's client was waiting for its peer when the connection ended; that is no error to it."""
    assert status in statuses, f"{status}\n{said}"
    tap.contains(said, "DISCONNECT EVENT", "what rping says")
    tap.contains(said, "wait for RDMA_", "what rping says")


def end_of(client, lab):
    """How rping's client ended once it has seen the end of its connection. Seldom one of its
    threads then waits for a completion that will not come, and it must be killed."""
    client.wait_for("wait for RDMA_")
    try:
        return client.wait(GRACE_S)
    except guest.Hangs:
        lab.kill_rping()
        return client.wait(GRACE_S)


def busy_client(lab):
    """A client of weft's that has pings under way with the guest's server."""
    weft = iwarp_lab.Weft(["iwarp", "ping", "127.0.0.1", "--port", str(lab.rping_server()),
                           "--verbose", "--count", "0"])
    weft.wait_for(lambda: "ping 3:" in weft.said()[0], "a third ping")
    return weft


def busy_server(lab, *options):
    """weft's server with one client in the guest that goes on: (server, client)."""
    server = iwarp_lab.Weft(["iwarp", "ping", "--server", "--port", "0", "--bind", "127.0.0.1",
                             "--verbose", *options])
    listening = server.wait_for(lambda: server.said()[0].partition("\n")[0], "listening")
    client = lab.rping(listening.rpartition(":")[2], count=100000, seconds=60)
    server.wait_for(lambda: "ping 3:" in server.said()[0], "a third ping")
    return server, client


def test_weft_ends_as_client_and_the_kernel_serves_the_next(lab):
    lab.siw()
    with busy_client(lab) as weft:
        weft.end()
    lab.ping(count=1).right(1)


def test_weft_killed_as_client_leaves_the_kernels_server_well(lab):
    lab.siw()
    with busy_client(lab) as weft:
        os.kill(weft.pid, signal.SIGKILL)
        weft.process.wait()
    lab.ping(count=1).right(1)


def test_the_kernels_server_ends_or_is_killed_under_a_client(lab):
    lab.siw()
    for name in ("TERM", "KILL"):
        with busy_client(lab) as weft:
            lab.stop_server(name)
            weft.wait().failed()
    lab.ping(count=1).right(1)


def test_weft_ends_or_is_killed_as_server_under_the_kernels_client(lab):
    lab.siw()
    for number in (signal.SIGTERM, signal.SIGKILL):
        server, client = busy_server(lab)
        with server:
            os.kill(server.pid, number)
            server.process.wait()
            status, said = end_of(client, lab)
        cut_short(status, said, (0, KILLED))


def test_the_kernels_client_killed_leaves_the_server_well(lab):
    lab.siw()
    server, client = busy_server(lab)
    with server:
        lab.kill_rping()
        client.wait()
        server.wait_for(lambda: "of 64 bytes" in server.said()[0], "the end of the client")
        port = server.said()[0].partition("\n")[0].rpartition(":")[2]
        status, said = lab.rping(port, count=3).wait()
        tap.equal(status, 0, said)
        server.end()
