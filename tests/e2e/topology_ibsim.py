#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What weft writes, ibsim accepts: ibnetdiscover, run on the simulated fabric, sees all of it."""
import contextlib
import os
import pathlib
import subprocess
import time

import tap

DEADLINE_S = 60


def preload():
    """The library that puts ibsim in place of the kernel for a program using libibumad."""
    found = sorted(pathlib.Path("/usr/lib").glob("*/umad2sim/libumad2sim.so"))
    assert found, "libumad2sim.so is not there; it comes with the package of ibsim"
    return str(found[0])


def listens(name):
    """True when ibsim has bound its abstract socket."""
    return f"@{name}:ctl" in pathlib.Path("/proc/net/unix").read_text(encoding="utf-8")


@contextlib.contextmanager
def ibsim(folder, net, nodes, switches, ports):
    """ibsim on a net file; gives the environment for programs that run on it."""
    name = f"weft-test-{os.getpid()}-{pathlib.Path(folder).name[-8:]}"
    env = {**os.environ, "IBSIM_SOCKNAME": name}
    log = pathlib.Path(folder, "ibsim.log")
    with log.open("wb") as out, subprocess.Popen(
            ["ibsim", "-s", "-n", "-N", str(nodes + 10), "-S", str(switches + 10),
             "-P", str(ports + 100), net], cwd=folder, env=env, stdin=subprocess.DEVNULL,
            stdout=out, stderr=subprocess.STDOUT) as process:
        try:
            deadline = time.monotonic() + DEADLINE_S
            while not listens(name):
                said = log.read_text(encoding="utf-8", errors="replace")
                assert process.poll() is None, f"ibsim ended with {process.returncode}:\n{said}"
                assert time.monotonic() < deadline, f"ibsim does not listen:\n{said}"
                time.sleep(0.02)
            yield {"IBSIM_SOCKNAME": name, "LD_PRELOAD": preload()}
        finally:
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()


def written(source):
    """What weft writes for ibsim of a file or a generator's text."""
    done = tap.run([tap.weft(), "topology", "convert", "--to", "ibsim", str(source)])
    tap.succeeds(done)
    return done.stdout


def discover(text, switches, hosts, radix):
    """Loads a topology into ibsim and gives what ibnetdiscover says of it."""
    with tap.scratch() as folder:
        pathlib.Path(folder, "net").write_text(text, encoding="utf-8")
        with ibsim(folder, "net", switches + hosts, switches, hosts * 2 + switches * (radix + 1)) \
                as env:
            done = tap.run(["ibnetdiscover"], cwd=folder, env=env)
    tap.succeeds(done)
    return done.stdout


def counts(text):
    done = tap.run([tap.weft(), "topology", "lint", "-"], stdin=text)
    return done.stdout.split(";", maxsplit=1)[0], done.returncode


def stanzas(text):
    """GUIDs, port counts and cables, which both texts must share; ibsim has its own of the rest."""
    cut = (line.partition("#")[0].split() for line in text.splitlines())
    return sorted(" ".join(words) for words in cut
                  if words and words[0].startswith(("[", "Switch", "Ca")))


def sees_everything(text, switches, hosts, radix):
    found = discover(text, switches, hosts, radix)
    tap.equal(counts(found), counts(text), "what ibnetdiscover sees")
    tap.equal(stanzas(found), sorted(stanzas(text)), "stanzas")


def test_fat_tree_of_two_levels():
    sees_everything(written("fat-tree:hosts=324,radix=36"), 27, 324, 36)


def test_fat_tree_of_four_levels():
    sees_everything(written("fat-tree:hosts=32,radix=4"), 56, 32, 4)


def test_torus():
    sees_everything(written("torus:x=4,y=3,z=2,hosts=2"), 24, 48, 8)


def test_dragonfly():
    sees_everything(written("dragonfly:a=4,p=2,h=2"), 36, 72, 7)


def test_dirty_dump_after_convert():
    text = written(tap.ROOT / "tests/data/topology/terminal.topo")
    sees_everything(text, 1, 2, 36)


def test_names_that_ibsim_would_take_for_options():
    text = written(tap.ROOT / "tests/data/topology/names.topo")
    sees_everything(text, 1, 2, 36)


def test_ibsim_s_own_kind_of_file():
    text = written(tap.ROOT / "tests/data/topology/ibsim.net")
    found = discover(text, 2, 3, 8)
    tap.equal(counts(found)[0], "standard input: 2 switches, 3 CAs, 0 routers, 4 links")


tap.main(globals())
