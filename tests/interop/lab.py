# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What the tests against the kernel share: the guest, rping in it, weft on this side."""
import contextlib
import pathlib
import re

import guest
import iwarp_lab

PORT = 7174
# rping takes at most this, and a server must have been told at least the client's size.
SIZE_MAX = 65535


class Lab:
    """One guest for all tests. Each test begins with a siw that nobody uses."""

    def __init__(self, image, folder):
        self.folder = pathlib.Path(folder)
        self.guest = guest.Guest(image)
        self.port = self.guest.ports[PORT]
        self.served_by = None
        self.logs = 0

    def end(self):
        return self.guest.end()

    def siw(self, options=""):
        """siw unmodified, or with options; ends what used the other one."""
        if options != self.guest.siw_options:
            self.served_by = None
            self.guest.siw(options)

    def log(self):
        self.logs += 1
        return f"/tmp/log.{self.logs}"

    def rping_server(self):
        """rping's server in the guest, for one client after the other; the port that leads to it.
        Its process id in the guest is in served_by."""
        if not self.served_by:
            self.served_by = self.guest.background(
                f"rping -s -P -v -a 0.0.0.0 -p {PORT} -S {SIZE_MAX}", self.log())
            self.guest.listening(PORT)
        return self.port

    def rping_servers(self):
        """One on each port that leads into the guest; those ports. kill_rping() ends them."""
        self.rping_server()
        for port in guest.SERVICES:
            if port != PORT:
                self.guest.background(f"rping -s -P -a 0.0.0.0 -p {port} -S {SIZE_MAX}", self.log())
                self.guest.listening(port)
        return list(self.guest.ports.values())

    def stop_server(self, signal="TERM"):
        if self.served_by:
            self.guest.run(f"kill -{signal} {self.served_by}; "
                           f"while kill -0 {self.served_by} 2>/dev/null; do sleep 0.05; done")
            self.served_by = None

    def kill_rping(self):
        """Kills all of them."""
        self.guest.run("killall -9 rping; while killall -0 rping 2>/dev/null; do sleep 0.05; done")
        self.served_by = None

    def ping(self, *options, port=None, **named):
        """weft's client against the guest's server; how it ended."""
        return iwarp_lab.ping(port or self.rping_server(), *options, **named)

    def rping(self, port, *, count=100, size=64, seconds=60, options=""):
        """Begins rping's client in the guest, towards a port of this machine."""
        return self.guest.start(f"rping -c -V -a {guest.HOST} -p {port} -C {count} -S {size} "
                                f"{options}", seconds)

    @contextlib.contextmanager
    def server(self, *options, **named):
        """weft's server for the guest's clients."""
        with iwarp_lab.Server(*options, **named) as server:
            yield server

    @contextlib.contextmanager
    def capturing(self):
        """Gives the capture file of what the block does; it is whole behind the block."""
        self.logs += 1
        path = self.folder / f"{self.logs}.pcap"
        with self.guest.capturing(path):
            yield path

    def complaints(self):
        """What the guest's kernel says that it should not."""
        said = self.guest.run("dmesg")
        return [line for line in said.splitlines()
                if re.search(r"BUG|Oops|WARNING|Call Trace|general protection|refcount|leak", line)]
