# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Test scripts in Python: runs a script's test_ functions one by one and prints TAP."""
import os
import pathlib
import subprocess
import sys
import tempfile
import traceback

ROOT = pathlib.Path(__file__).resolve().parent.parent
# meson puts the libraries that a test depends on before the system's, weft's libibumad too.
# Programs are to find that by `weft run` alone.
os.environ.pop("LD_LIBRARY_PATH", None)


def weft():
    """The weft binary under test; meson names it in the environment."""
    return os.environ["WEFT"]


def run(command, *, stdin="", cwd=None, env=None, timeout=120, **options):
    """Runs a program to its end; gives returncode, stdout and stderr as text."""
    if "stdout" not in options:
        options["stdout"] = subprocess.PIPE
    return subprocess.run(command, input=stdin, cwd=cwd, env={**os.environ, **(env or {})},
                          timeout=timeout, text=True, errors="replace", check=False,
                          stderr=subprocess.PIPE, **options)


def scratch():
    """A temporary folder for `with`; gone afterwards."""
    return tempfile.TemporaryDirectory(prefix="weft-test-")


def equal(got, wanted, what="value"):
    """Fails the test unless the two are equal, and shows both."""
    if got != wanted:
        raise AssertionError(f"{what}:\n  got    {got!r}\n  wanted {wanted!r}")


def succeeds(done, hint=""):
    """Fails the test unless a program ended with exit code 0, and shows what it said."""
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, done.args))}: exit code {done.returncode}\n"
                             f"{hint}\n{done.stdout or ''}{done.stderr}")


def contains(text, part, what="text"):
    """Fails the test unless `part` stands in `text`, and shows both."""
    if part not in text:
        raise AssertionError(f"{what} lacks {part!r}; it is:\n{text}")


def none(problems):
    """Fails the test when there is a problem, and lists all of them, one a line."""
    problems = list(problems)
    if problems:
        raise AssertionError("\n".join(["", *map(str, problems)]))


def main(module):
    """Runs every test_ function of a module (pass globals()) in its order and exits."""
    tests = [(name, value) for name, value in module.items()
             if name.startswith("test_") and callable(value)]
    failed = 0
    print(f"1..{len(tests)}", flush=True)
    for number, (name, test) in enumerate(tests, start=1):
        try:
            test()
            print(f"ok {number} - {name}", flush=True)
        except AssertionError as problem:
            failed += 1
            print(f"not ok {number} - {name}")
            print_diagnosis(str(problem))
        except Exception:  # pylint: disable=broad-except
            failed += 1
            print(f"not ok {number} - {name}")
            print_diagnosis(traceback.format_exc())
    sys.exit(1 if failed else 0)


def print_diagnosis(text):
    for line in text.splitlines():
        print(f"# {line}")
    sys.stdout.flush()
