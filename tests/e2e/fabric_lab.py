# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Labs for tests with unmodified OpenSM and infiniband-diags: a fabric of weft or of ibsim, and
programs on its nodes. Everything a lab starts ends with it, by process id."""
import contextlib
import os
import pathlib
import re
import signal
import subprocess
import time

import tap

# How long a thing may take that normally takes a fraction of it.
DEADLINE_S = 60
# Programs of packages may live where users have no path to.
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
# Values of PortInfo.
ACTIVE = "Active"
LINK_UP = "LinkUp"


def wait_until(condition, what, *, timeout=DEADLINE_S, hint=lambda: ""):
    """Waits until condition() is true; gives its value."""
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {timeout} s: {what}\n{hint()}")
        time.sleep(0.01)


def read(path):
    """A file's text, empty while there is none."""
    try:
        return pathlib.Path(path).read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""


def tail(text, lines=30):
    return "\n".join(text.splitlines()[-lines:])


def topology(spec):
    """The text of a topology that weft generates."""
    done = tap.run([tap.weft(), "topology", "generate", spec])
    tap.succeeds(done)
    return done.stdout


class Program:
    """A program that runs beside the test, with its output in a file."""

    def __init__(self, command, *, env, cwd, log):
        self.log = pathlib.Path(log)
        self.command = [str(word) for word in command]
        with self.log.open("wb") as out:
            # It must be ended by whoever holds it, see end().
            self.process = subprocess.Popen(  # pylint: disable=consider-using-with
                self.command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=out,
                stderr=subprocess.STDOUT)
        self.pid = self.process.pid

    def said(self):
        return read(self.log)

    def lives(self):
        return self.process.poll() is None

    def must_live(self):
        assert self.lives(), (f"{' '.join(self.command)} ended with {self.process.returncode}:\n"
                              f"{tail(self.said())}")

    def end(self, number=signal.SIGTERM, *, timeout=20):
        """Ends it, the hard way when it does not obey; gives its exit status."""
        if self.lives():
            self.process.send_signal(number)
        try:
            return self.process.wait(timeout=timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


class Opensm(Program):
    """A subnet manager in a lab."""

    def __init__(self, lab, node, options, name, *, before=()):
        self.folder = lab.folder / name
        self.folder.mkdir()
        self.osm_log = self.folder / "log"
        options = ["-f", self.osm_log, "-s", "0", "-d", "2", *options]
        env = {"OSM_TMP_DIR": str(self.folder), "OSM_CACHE_DIR": str(self.folder)}
        command, environment = lab.on(node, [*before, "opensm", *options])
        super().__init__(command, env={**environment, **env}, cwd=self.folder,
                         log=self.folder / "output")

    def text(self):
        return read(self.osm_log)

    def wait_for(self, words, *, times=1, timeout=DEADLINE_S):
        """Waits until words stand in its log, so many times."""

        def there():
            self.must_live()
            return self.text().count(words) >= times

        wait_until(there, f"OpenSM says {words!r} {times} times", timeout=timeout,
                   hint=lambda: tail(self.text()))

    def wait_up(self, *, times=1, timeout=DEADLINE_S):
        self.wait_for("SUBNET UP", times=times, timeout=timeout)

    def times_up(self):
        return self.text().count("SUBNET UP")

    def sweep(self):
        """Makes it sweep the whole subnet, and waits for the end."""
        times = self.times_up()
        self.process.send_signal(signal.SIGHUP)
        self.wait_up(times=times + 1)

    def errors(self):
        """What it logged as an error, without time and thread."""
        return [line.split("]", 1)[-1].split("->", 1)[-1].strip()
                for line in self.text().splitlines() if " 0x01 " in line]


class Lab:
    """Programs on the nodes of some fabric."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.programs = []
        self.daemon = None

    def on(self, node, command):
        """The command line and environment that run a command on a node."""
        raise NotImplementedError

    def done(self, node, *command, timeout=DEADLINE_S, env=None):
        """Runs a tool to its end, whatever that is."""
        line, environment = self.on(node, [str(word) for word in command])
        return tap.run(line, cwd=self.folder, env={**environment, **(env or {})}, timeout=timeout)

    def run(self, node, *command, **options):
        """Runs a tool that must succeed; gives what it prints."""
        done = self.done(node, *command, **options)
        tap.succeeds(done, hint=tail(self.daemon.said()))
        return done.stdout

    def spawn(self, node, *command, name="program", env=None):
        """Starts a program that runs until the lab ends, or end() is called."""
        line, environment = self.on(node, [str(word) for word in command])
        program = Program(line, env={**environment, **(env or {})}, cwd=self.folder,
                          log=self.folder / f"{name}-{len(self.programs)}")
        self.programs.append(program)
        return program

    def opensm(self, node, *options, up=True, timeout=DEADLINE_S):
        """Starts OpenSM, and waits until it has brought up the subnet unless told otherwise."""
        manager = Opensm(self, node, options, f"osm-{len(self.programs)}")
        self.programs.append(manager)
        if up:
            manager.wait_up(timeout=timeout)
        return manager

    def end(self):
        for program in reversed(self.programs):
            program.end()


class WeftLab(Lab):
    """A lab on weft's daemon. A node may be (name, number of a virtual function)."""

    def __init__(self, folder, spec, options):
        super().__init__(folder)
        self.socket = self.folder / "s"
        self.daemon = Program([tap.weft(), "fabric", "--topology", spec, "--listen", self.socket,
                               *options],
                              env=os.environ, cwd=folder, log=self.folder / "daemon")
        self.programs.append(self.daemon)

    def wait(self):
        def listens():
            self.daemon.must_live()
            return self.socket.exists()

        wait_until(listens, "the daemon listens", hint=self.daemon.said)

    def on(self, node, command):
        # A drop-in with a sanitizer needs the sanitizer's library in programs without one. What
        # those leave unfreed is their own.
        runtime = os.environ.get("WEFT_SANITIZER_LIBRARY")
        if runtime and command[0] != os.environ.get("FABRIC_CLIENT"):
            command = ["env", f"LD_PRELOAD={runtime}", "ASAN_OPTIONS=detect_leaks=0", *command]
        name, function = node if isinstance(node, tuple) else (node, 0)
        place = ["--node", name, *(["--vf", str(function)] if function else [])]
        return ([tap.weft(), "run", "--fabric", self.socket, *place, "--", *command],
                {**os.environ, "PATH": PATH})

    def ctl(self, *words):
        """A control command that must succeed; gives the daemon's answer."""
        done = tap.run([tap.weft(), "fabric", "ctl", str(self.socket), *map(str, words)])
        tap.succeeds(done, hint=tail(self.daemon.said()))
        return done.stdout


    def port(self, node, number):
        """What the daemon knows of a port."""
        text = self.ctl("port", f"{node}/{number}")
        return dict(line.split(None, 1) for line in text.splitlines() if " " in line)


class IbsimLab(Lab):
    """A lab on ibsim."""

    def __init__(self, folder, text):
        super().__init__(folder)
        self.name = f"weft-{os.getpid()}-{self.folder.name[-8:]}"
        (self.folder / "net").write_text(text, encoding="utf-8")
        nodes = re.findall(r"^(Ca|Hca|Switch)\s+(\d+)", text, flags=re.M)
        switches = [int(ports) for kind, ports in nodes if kind == "Switch"]
        ports = sum(int(ports) + 1 for _, ports in nodes)
        self.environment = {**os.environ, "PATH": PATH, "IBSIM_SOCKNAME": self.name}
        self.daemon = Program(
            ["ibsim", "-s", "-n", "-N", len(nodes) + 10, "-S", len(switches) + 10,
             "-P", ports + 100, "net"],
            env=self.environment, cwd=folder, log=self.folder / "ibsim.log")
        self.programs.append(self.daemon)

    def wait(self):
        def listens():
            self.daemon.must_live()
            return f"@{self.name}:ctl" in read("/proc/net/unix")

        wait_until(listens, "ibsim listens", hint=self.daemon.said)

    def on(self, node, command):
        found = sorted(pathlib.Path("/usr/lib").glob("*/umad2sim/libumad2sim.so"))
        assert found, "libumad2sim.so is not there; it comes with the package of ibsim"
        return command, {**self.environment, "SIM_HOST": node, "LD_PRELOAD": str(found[0])}


@contextlib.contextmanager
def opened(make):
    with tap.scratch() as folder:
        lab = make(folder)
        try:
            lab.wait()
            yield lab
        finally:
            lab.end()


def weft(spec, *options):
    """A lab on weft, for `with`. `spec` is a topology as --topology takes it."""
    return opened(lambda folder: WeftLab(folder, str(spec), [str(word) for word in options]))


def ibsim(text):
    """A lab on ibsim, for `with`. `text` is a topology's."""
    return opened(lambda folder: IbsimLab(folder, text))
