# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A guest with the real kernel's iWARP: boots it, runs commands in it, ends it.

Its network is qemu's own NAT, so nothing needs root: a port of the guest is reached by the port of
this machine's loopback in `ports`, and the guest reaches this machine's loopback as HOST.
"""
import contextlib
import pathlib
import socket
import subprocess
import tempfile
import time

HOST = "10.0.2.2"
ADDRESS = "10.0.2.15"
SHELL = 7000
SERVICES = (7174, 7175, 7176, 7177)
BOOT_S = 120
COMMAND_S = 30

APPEND = ("console=ttyS0 quiet loglevel=4 panic=-1 mitigations=off nokaslr audit=0 selinux=0"
          " apparmor=0 tsc=nowatchdog clocksource=tsc lpj=4000000 rcupdate.rcu_expedited=1"
          " net.ifnames=0")


class Failed(Exception):
    """A command ended otherwise than it was to, or the guest did."""


class Hangs(Failed):
    """A command does not end."""


def free_ports(count):
    """Ports that nobody listens on."""
    sockets = [socket.socket() for _ in range(count)]
    for sock in sockets:
        sock.bind(("127.0.0.1", 0))
    ports = [sock.getsockname()[1] for sock in sockets]
    for sock in sockets:
        sock.close()
    return ports


class Command:
    """A command in the guest, which goes on beside the test."""

    def __init__(self, port, text, seconds):
        self.text = text
        self.sock = socket.create_connection(("127.0.0.1", port), COMMAND_S)
        self.deadline = time.monotonic() + seconds
        # The shell reads its own standard input: the command must not.
        self.sock.sendall(f"exec 2>&1\n( {text}\n) </dev/null\necho \"@@RC=$?@@\"\nexit\n".encode())
        self.said = b""

    def hear(self):
        """Takes what it prints next; False: nothing will follow."""
        self.sock.settimeout(max(self.deadline - time.monotonic(), 0.001))
        try:
            more = self.sock.recv(65536)
        except TimeoutError:
            raise Hangs(f"in the guest: not done in time: {self.text}\n"
                        f"{self.said.decode(errors='replace')}") from None
        self.said += more
        return bool(more)

    def wait_for(self, word):
        """Waits until it has printed a word."""
        while word.encode() not in self.said:
            if not self.hear():
                raise Failed(f"in the guest: {self.text}: never says {word}\n"
                             f"{self.said.decode(errors='replace')}")

    def wait(self, seconds=None):
        """Its exit status and what it printed; `seconds` from now on in place of what was left."""
        if seconds is not None:
            self.deadline = time.monotonic() + seconds
        while b"@@RC=" not in self.said or not self.said.endswith(b"@@\n"):
            if not self.hear():
                break
        self.sock.close()
        output, _, status = self.said.decode(errors="replace").partition("@@RC=")
        if not status:
            raise Failed(f"in the guest: no status: {self.text}\n{output}")
        return int(status.split("@@")[0]), output


class Guest:
    """One virtual machine."""

    def __init__(self, image):
        self.folder = tempfile.TemporaryDirectory(prefix="weft-guest-")
        self.console = pathlib.Path(self.folder.name, "console")
        self.siw_options = ""
        self.monitor = pathlib.Path(self.folder.name, "monitor")
        # Somebody may take a port between finding it free and qemu's use of it.
        for _ in range(5):
            self.qemu = self.start_qemu(image)
            try:
                if self.boot():
                    return
            except BaseException:
                self.qemu.kill()
                raise
        raise Failed("qemu finds no free ports on the loopback")

    def start_qemu(self, image):
        self.shell, *ports = free_ports(1 + len(SERVICES))
        self.ports = dict(zip(SERVICES, ports))
        forwards = {SHELL: self.shell, **self.ports}
        net = "user,id=n0,net=10.0.2.0/24" + "".join(
            f",hostfwd=tcp:127.0.0.1:{ours}-:{its}" for its, ours in forwards.items())
        return subprocess.Popen(
            ["qemu-system-x86_64", "-name", "weft-guest", "-machine",
             "pc,usb=off,graphics=off,vmport=off", "-accel", "tcg,thread=multi", "-cpu", "max",
             "-smp", "2", "-m", "512", "-nodefaults", "-no-user-config", "-display", "none",
             "-no-reboot", "-serial", f"file:{self.console}", "-netdev", net, "-device",
             "virtio-net-pci,netdev=n0,romfile=", "-device", "virtio-rng-pci", "-kernel",
             str(image / "vmlinux"), "-initrd", str(image / "initramfs.cpio"), "-append", APPEND,
             "-monitor", f"unix:{self.monitor},server=on,wait=off"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def said(self):
        if not self.console.exists():
            return ""
        return self.console.read_text(encoding="utf-8", errors="replace")

    def boot(self):
        """Waits for its shell; False when qemu could not have its ports."""
        deadline = time.monotonic() + BOOT_S
        while "READY" not in self.said() or not self.answers():
            if self.qemu.poll() is not None:
                said = self.qemu.communicate()[0].decode(errors="replace")
                if "forwarding rule" in said:
                    return False
                raise Failed(f"qemu ended:\n{said}\n{self.said()[-3000:]}")
            if time.monotonic() > deadline:
                said = self.said()
                self.end()
                raise Failed(f"the guest does not come up:\n{said[-3000:]}")
            time.sleep(0.05)
        return True

    def answers(self):
        try:
            return self.start("true").wait()[0] == 0
        except (OSError, Failed):
            return False

    def order(self, text):
        """Tells qemu's monitor something."""
        with socket.socket(socket.AF_UNIX) as sock:
            sock.settimeout(COMMAND_S)
            sock.connect(str(self.monitor))
            said = b""
            for words in ("", text):
                sock.sendall(words.encode() + b"\n" if words else b"")
                said = b""
                while not said.endswith(b"(qemu) "):
                    said += sock.recv(65536)
        if b"Error" in said:
            raise Failed(f"qemu's monitor: {text}: {said.decode(errors='replace')[-200:]}")

    @contextlib.contextmanager
    def capturing(self, path):
        """Writes what goes through the guest's network to a capture file meanwhile."""
        self.order(f"object_add filter-dump,id=f0,netdev=n0,file={path}")
        try:
            yield
        finally:
            self.order("object_del f0")

    def end(self):
        """Ends it, as a power failure would."""
        self.qemu.kill()
        said = self.qemu.communicate()[0].decode(errors="replace")
        self.folder.cleanup()
        return said

    def start(self, text, seconds=COMMAND_S):
        """Begins a command."""
        return Command(self.shell, text, seconds)

    def run(self, text, *, status=0, seconds=COMMAND_S):
        """Runs a command to its end; what it prints. status: what it is to end with, None: any."""
        ended, output = self.start(text, seconds).wait()
        if status is not None and ended != status:
            raise Failed(f"in the guest: {text}\nended with {ended}:\n{output}")
        return output

    def background(self, text, log="/tmp/log"):
        """Begins a command that goes on in the guest; its process id."""
        return int(self.run(f"{text} >{log} 2>&1 & echo $!"))

    def listening(self, port):
        """Waits until something in the guest listens for RDMA connections on a port."""
        # siw's listeners are sockets of the kernel, which no process owns.
        self.run(f"n=0; until ss -Hltn | grep -q ':{port} '; do "
                 "n=$((n+1)); [ $n -lt 300 ] || exit 1; sleep 0.1; done")

    def siw(self, options=""):
        """Puts in siw as it is, or, with options such as "peer_to_peer=1", the tuned one."""
        if options == self.siw_options:
            return
        module = f"siw_tune.ko {options}" if options else "siw.ko"
        loaded = "siw_tune" if self.siw_options else "siw"
        self.run("while killall -9 rping ucmatose 2>/dev/null; do sleep 0.1; done; "
                 f"rdma link delete siw0 && rmmod {loaded} && insmod /modules/{module} && "
                 "rdma link add siw0 type siw netdev eth0")
        self.siw_options = options
