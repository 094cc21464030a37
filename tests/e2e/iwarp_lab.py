# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""`weft iwarp ping` beside an independent peer: starts it, waits for it, reads what it says.
Everything that is started here ends with its block, by process id."""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import threading
import time

import tap

DEADLINE_S = 60
DONE, PART, USAGE, FAILED = 0, 1, 2, 3


class Ended:
    """What a weft that has ended said."""

    def __init__(self, command, returncode, stdout, stderr):
        self.command = command
        self.returncode = returncode
        self.stdout = stdout
        self.stderr = stderr
        self.json = json.loads(stdout) if stdout.startswith("{") else None

    def __str__(self):
        return f"{' '.join(self.command)}: exit code {self.returncode}\n{self.stdout}{self.stderr}"

    def must(self, returncode=DONE):
        """Fails the test unless it ended so; gives itself."""
        if self.returncode != returncode:
            raise AssertionError(f"wanted exit code {returncode}: {self}")
        return self

    def right(self, pings):
        """Fails the test unless so many pings came back right."""
        self.must()
        tap.equal((self.json["ok"], self.json["pings"], self.json["right"]), (True, pings, pings),
                  str(self))
        return self

    def failed(self, *words):
        """Fails the test unless it failed and says why in one of these ways."""
        self.must(FAILED)
        said = self.stdout + self.stderr
        if words and not any(word in said for word in words):
            raise AssertionError(f"wanted one of {words}: {self}")
        return self


class Weft:
    """A running weft, its output in files."""

    def __init__(self, words, stdin=subprocess.DEVNULL):
        self.command = ["weft", *words]
        self.folder = tap.scratch()
        self.out, self.err = (pathlib.Path(self.folder.name, name) for name in ("out", "err"))
        with self.out.open("wb") as out, self.err.open("wb") as err:
            self.process = subprocess.Popen(  # pylint: disable=consider-using-with
                [tap.weft(), *words], stdin=stdin, stdout=out, stderr=err)
        self.pid = self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()
        self.folder.cleanup()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if self.process.stdin:
            self.process.stdin.close()

    def said(self):
        return [path.read_text(encoding="utf-8", errors="replace") for path in (self.out, self.err)]

    def wait(self, seconds=DEADLINE_S):
        """Waits until it has ended by itself."""
        try:
            self.process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"goes on after {seconds} s: {self.ended()}") from None
        return self.ended()

    def ended(self):
        return Ended(self.command, self.process.returncode, *self.said())

    def end(self):
        """Asks it to end; what it said."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.wait()

    def wait_for(self, condition, what):
        """Waits until something is true; gives its value."""
        deadline = time.monotonic() + DEADLINE_S
        while True:
            value = condition()
            if value:
                return value
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"not seen: {what}: {self.ended()}")
            time.sleep(0.01)

    def memory_kib(self):
        """What it has in memory now."""
        text = pathlib.Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
        return int(text.split("VmRSS:")[1].split()[0])


def options_of(options, **named):
    words = [str(word) for word in options]
    for name, value in named.items():
        words += [f"--{name}", str(value)]
    return words


def client(port, *options, address="127.0.0.1", **named):
    """Starts a ping client. Options: words, or names with values."""
    return Weft(["iwarp", "ping", address, "--port", str(port), "--json",
                 *options_of(options, **named)])


def ping(port, *options, address="127.0.0.1", seconds=DEADLINE_S, **named):
    """Runs a ping client to its end."""
    with client(port, *options, address=address, **named) as weft:
        return weft.wait(seconds)


class Server(Weft):
    """A ping server on the loopback; `port` is where."""

    def __init__(self, *options, **named):
        super().__init__(["iwarp", "ping", "--server", "--port", "0", "--bind", "127.0.0.1",
                          "--json", *options_of(options, **named)])
        line = self.wait_for(self.line, "a line that begins with: listening on")
        self.port = int(line.rpartition(":")[2])

    def line(self):
        return next((line for text in self.said() for line in text.splitlines(keepends=True)
                     if line.startswith("listening on ") and line.endswith("\n")), None)


class Beside:
    """A function that runs beside the test; what it gives or raises comes out at the end."""

    def __init__(self, function, *arguments):
        self.value = self.error = None
        self.thread = threading.Thread(target=self.run, args=(function, arguments), daemon=True)
        self.thread.start()

    def run(self, function, arguments):
        try:
            self.value = function(*arguments)
        except BaseException as error:  # pylint: disable=broad-except
            self.error = error

    def result(self):
        self.thread.join(DEADLINE_S)
        assert not self.thread.is_alive(), "the peer beside the test does not end"
        if self.error:
            raise self.error
        return self.value


@contextlib.contextmanager
def peers(listener, serve):
    """Runs serve(listener) beside a block: with its end the peer must have done its part."""
    beside = Beside(serve, listener)
    yield beside
    beside.result()


def sanitized():
    """Whether weft's own use of memory says little."""
    return "asan" in os.environ.get("WEFT_BUILD", "") or "tsan" in os.environ.get("WEFT_BUILD", "")
