# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Many connections with the kernel: at once, and one after the other."""
import contextlib
import os
import signal

import guest
import iwarp_lab
import tap

AT_ONCE = 100
# A hundred connections are much for an emulated machine.
MANY_S = 240
# Those that are up wait for the others, and are not to give up meanwhile.
PATIENT = ["--timeout", "600s"]
# Of forty connections whose first FPDU follows the reply at once, siw leaves one to twenty hanging.
CONNECTS = 40


def test_forty_connects_without_a_pause_overcome_the_race_of_siw(lab):
    lab.siw()
    port = lab.rping_server()
    for number in range(CONNECTS):
        lab.ping(port=port, count=1, crc="on" if number % 2 else "off").right(1)


def test_twenty_connects_of_the_kernel_one_after_the_other(lab):
    lab.siw()
    with lab.server() as server:
        lab.guest.run("for n in $(seq 20); do "
                      f"rping -c -V -a {guest.HOST} -p {server.port} -C 1 || exit 1; done")
        done = server.end().must()
    tap.equal([client["right"] for client in done.json["clients"]], [1] * 20)


def test_a_hundred_connections_of_the_kernel_at_once(lab):
    lab.siw()
    with lab.server(*PATIENT) as server:
        # It pings when all are up, and disconnects behind that.
        said = lab.guest.run(f"rdmacm -n {AT_ONCE} -t -d {guest.HOST} {server.port}",
                             seconds=MANY_S)
        tap.contains(said, f"\n{AT_ONCE} up at once\n{AT_ONCE} pings right\n", "what it says")
        done = server.end().must()
    tap.equal([client["right"] for client in done.json["clients"]], [1] * AT_ONCE, str(done))


def test_a_hundred_connections_to_the_kernel_at_once(lab):
    lab.siw()
    # One rping dies of its 49th connection, see docs/interop.md.
    ports = lab.rping_servers()
    with contextlib.ExitStack() as stack:
        clients = []
        for number in range(AT_ONCE):
            port = ports[number % len(ports)]
            # rping listens with a backlog of three, and siw rejects what does not fit.
            weft = iwarp_lab.Weft(["iwarp", "ping", "127.0.0.1", "--port", str(port), "--count",
                                   "0", "--verbose", *PATIENT])
            clients.append(stack.enter_context(weft))
            weft.wait_for(lambda weft=weft: "ping 1:" in weft.said()[0], "a first ping")
            # Its connection stays, and it leaves the machine to the others.
            os.kill(weft.pid, signal.SIGSTOP)
        up = int(lab.guest.run(f"ss -Htn | grep -c ' 10.0.2.15:71'"))
        tap.equal(up, AT_ONCE, "connections at once")
        for weft in clients:
            before = weft.said()[0].count("\nping ")
            os.kill(weft.pid, signal.SIGCONT)
            weft.wait_for(lambda weft=weft, before=before:
                          weft.said()[0].count("\nping ") > before, "another ping")
            weft.end()
    lab.kill_rping()
    lab.ping(count=1).right(1)
