#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""packages.txt covers what the tree uses, and tools/setup says clearly what it cannot do."""
import pathlib
import shutil

import tap


def test_every_library_header_and_program_is_of_a_listed_package():
    done = tap.run([str(tap.ROOT / "tools/check-packages")])
    tap.succeeds(done)


class FakeSystem:
    """A copy of tools/setup and a package list beside stand-ins for id, sudo and dpkg-query."""

    def __init__(self, folder, packages, user):
        self.folder = pathlib.Path(folder)
        for name in ("tools", "bin"):
            (self.folder / name).mkdir()
        shutil.copy(tap.ROOT / "tools/setup", self.folder / "tools/setup")
        (self.folder / "packages.txt").write_text(packages, encoding="utf-8")
        self.stand_in("id", f"echo {user}")
        self.stand_in("sudo", 'if [ "$1" = -n ]; then exit 1; fi; "$@"')
        self.stand_in("dpkg-query", 'case "$3" in present) echo installed;; *) exit 1;; esac')
        self.stand_in("apt-get", f'echo "apt-get $*" >>{self.folder}/calls')

    def stand_in(self, name, body):
        path = self.folder / "bin" / name
        path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        path.chmod(0o755)

    def setup(self, *sections):
        return tap.run([str(self.folder / "tools/setup"), *sections],
                       env={"PATH": f"{self.folder}/bin:/usr/bin:/bin"})

    def calls(self):
        log = self.folder / "calls"
        return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


def test_setup_does_nothing_when_all_is_there():
    with tap.scratch() as folder:
        system = FakeSystem(folder, "build: present  # here\ntest: absent\n", user=0)
        done = system.setup("build")
        tap.equal((done.returncode, done.stdout, done.stderr, system.calls()), (0, "", "", []))


def test_setup_installs_exactly_what_is_missing():
    with tap.scratch() as folder:
        system = FakeSystem(folder, "build: present\nbuild: one  # 1\ntest: two\n", user=0)
        tap.equal(system.setup("build", "test").returncode, 0)
        calls = system.calls()
        tap.equal(len(calls), 2, calls)
        tap.contains(calls[0], " update", "first call")
        assert calls[1].endswith("install -y --no-install-recommends one two"), calls[1]


def test_setup_names_packages_and_command_when_it_may_not_install():
    with tap.scratch() as folder:
        system = FakeSystem(folder, "build: one\nbuild: two\n", user=1000)
        done = system.setup("build")
        tap.equal((done.returncode, system.calls()), (1, []))
        tap.contains(done.stderr, "apt-get update && apt-get install --no-install-recommends "
                     "one two", "message")


def test_what_only_interop_needs_is_listed_but_need_not_be_there():
    text = (tap.ROOT / "packages.txt").read_text(encoding="utf-8")
    tap.contains(text, "\ninterop: qemu-system-x86\n", "packages.txt")
    with tap.scratch() as folder:
        system = FakeSystem(folder, "build: present\ntest: present\ninterop: absent\n", user=1000)
        tap.equal(system.setup("build", "test").returncode, 0)
        tap.equal(system.setup("interop").returncode, 1)


def test_setup_refuses_a_section_that_does_not_exist():
    with tap.scratch() as folder:
        done = FakeSystem(folder, "build: one\n", user=0).setup("biuld")
        tap.equal(done.returncode, 2)
        tap.contains(done.stderr, 'no section "biuld"', "message")


tap.main(globals())
