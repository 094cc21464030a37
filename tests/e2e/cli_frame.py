#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The frame of the command: help, version, wrong words, exit codes, closed standard output."""
import os
import re
import socket
import subprocess

import tap

USAGE, FAILED = 2, 3
TERMINAL_COLUMNS = 80


def verbs():
    text = (tap.ROOT / "src/cli/verbs.def").read_text(encoding="utf-8")
    return re.findall(r'^WEFT_VERB\((\w+), *"([^"]+)"\)', text, flags=re.M)


def test_help_lists_every_verb_with_its_summary():
    done = tap.run([tap.weft(), "--help"])
    tap.equal((done.returncode, done.stderr), (0, ""))
    for name, summary in verbs():
        tap.contains(re.sub(r" +", " ", done.stdout), f" {name} {summary}\n", "help")
    assert verbs(), "verbs.def lists no verb"


def test_every_verb_has_help_on_stdout():
    for name, _ in verbs():
        for option in ("--help", "-h"):
            done = tap.run([tap.weft(), name, option])
            tap.equal((done.returncode, done.stderr), (0, ""), f"{name} {option}")
            tap.contains(done.stdout, f"Usage: weft {name} ", f"{name} {option}")
            tap.contains(done.stdout, "--help", f"{name} {option}")
            wide = [line for line in done.stdout.splitlines() if len(line) > TERMINAL_COLUMNS]
            tap.equal(wide, [], f"{name} {option}")


def test_version_is_the_projects():
    done = tap.run([tap.weft(), "--version"])
    wanted = re.search(r"version: '([^']+)'", (tap.ROOT / "meson.build").read_text())[1]
    tap.equal((done.returncode, done.stdout, done.stderr), (0, f"weft {wanted}\n", ""))


def test_no_verb_is_a_usage_error():
    done = tap.run([tap.weft()])
    tap.equal((done.returncode, done.stdout), (USAGE, ""))
    tap.contains(done.stderr, "weft: try weft --help", "stderr")


def test_a_mistyped_verb_gets_the_nearest_one():
    for name, _ in verbs():
        done = tap.run([tap.weft(), name[:-1] + "_"])
        tap.equal((done.returncode, done.stdout), (USAGE, ""))
        tap.contains(done.stderr, f'did you mean "{name}"?', "stderr")


def test_a_verb_unlike_any_other_gets_no_guess():
    for word in ("quux", "", "x" * 5000, "\udcff"):
        done = tap.run([tap.weft(), word])
        tap.equal((done.returncode, done.stdout), (USAGE, ""))
        assert "did you mean" not in done.stderr, done.stderr
        tap.contains(done.stderr, "there is no verb", "stderr")


def test_an_option_before_the_verb_is_refused():
    done = tap.run([tap.weft(), "--json"])
    tap.equal((done.returncode, done.stdout), (USAGE, ""))
    tap.contains(done.stderr, "--json", "stderr")


def test_every_verb_refuses_an_unknown_option_and_names_it():
    for name, _ in verbs():
        done = tap.run([tap.weft(), name, "--no-such-option"])
        tap.equal((done.returncode, done.stdout), (USAGE, ""), name)
        tap.contains(done.stderr, "no option --no-such-option", name)
        tap.contains(done.stderr, f"weft: try weft {name} --help", name)


def test_a_mistyped_option_gets_the_nearest_one():
    for name, _ in verbs():
        done = tap.run([tap.weft(), name, "--hlep"])
        tap.equal((done.returncode, done.stdout), (USAGE, ""), name)
        tap.contains(done.stderr, "did you mean --help?", name)


def test_every_message_line_begins_with_the_commands_name():
    for words in ([], ["quux"], ["--json"], *([name, "--quux"] for name, _ in verbs())):
        for line in tap.run([tap.weft(), *words]).stderr.splitlines():
            assert line.startswith("weft: "), line


def test_a_full_standard_output_is_a_failure_with_a_message():
    with open("/dev/full", "w", encoding="utf-8") as full:
        for words in (["--help"], ["--version"], *([name, "--help"] for name, _ in verbs())):
            done = tap.run([tap.weft(), *words], stdout=full)
            tap.equal(done.returncode, FAILED, words)
            tap.contains(done.stderr, "weft: cannot write to standard output: No space left", words)


def test_a_closed_standard_output_is_a_failure_with_a_message():
    for words in (["--help"], ["--version"], *([name, "--help"] for name, _ in verbs())):
        done = tap.run([tap.weft(), *words], preexec_fn=lambda: os.close(1))
        tap.equal(done.returncode, FAILED, words)
        tap.contains(done.stderr, "weft: cannot write to standard output", words)


def test_a_closed_standard_error_does_not_change_the_exit_code():
    tap.equal(tap.run([tap.weft(), "quux"], preexec_fn=lambda: os.close(2)).returncode, USAGE)


def test_long_output_is_written_in_large_pieces():
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    words = [tap.weft(), "topology", "generate", "fat-tree:hosts=324,radix=36"]
    with ours, its, subprocess.Popen(words, stdout=its) as program:
        its.close()
        # A packet is what was written by one call.
        pieces = list(iter(lambda: ours.recv(1 << 20), b""))
    tap.equal(program.returncode, 0)
    lengths = [len(piece) for piece in pieces]
    assert sum(lengths) > 100000, "the output is too short for this test"
    assert len(lengths) <= sum(lengths) // 60000 + 1, lengths


tap.main(globals())
