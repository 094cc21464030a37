#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""weft topology as a user runs it: what its actions print, and what it says when it cannot."""
import json
import os
import pathlib
import re
import subprocess

import tap

DATA = tap.ROOT / "tests/data/topology"
EXAMPLE = str(tap.ROOT / "examples/fat-tree-324.topo")


def topology(*words, **options):
    return tap.run([tap.weft(), "topology", *map(str, words)], **options)


def test_lint_of_a_clean_file_is_one_line_and_exit_code_0():
    done = topology("lint", EXAMPLE)
    tap.succeeds(done)
    tap.equal(done.stdout, f"{EXAMPLE}: 27 switches, 324 CAs, 0 routers, 648 links; "
                           "0 lines ignored; 0 problems\n")


def test_lint_gives_file_line_and_kind_and_exit_code_1():
    path = DATA / "one_sided.topo"
    done = topology("lint", path)
    tap.equal(done.returncode, 1)
    tap.contains(done.stdout, f"{path}:12: one-sided-link: port 2 of Switch 002000000000a100")


def test_lint_of_half_a_dump_ends_with_why():
    text = pathlib.Path(EXAMPLE).read_text(encoding="utf-8")
    done = topology("lint", "-", stdin=text[:text.index("\ncaguid=")])
    tap.equal(done.returncode, 1)
    lines = done.stdout.splitlines()
    tap.equal(lines[-2:],
              ["standard input: 324 nodes without a stanza: this alone makes 324 problems; "
               "is the dump complete?",
               "standard input: 27 switches, 0 CAs, 0 routers, 648 links; 0 lines ignored; "
               "324 problems"])
    tap.equal(len(lines), 326)


def test_convert_invents_nothing():
    text = 'Switch 2 "a"\n[1] "b"[1]\n\ndevid=0x5a\nCa 1 "b"\n[1] "a"[1]\n'
    done = topology("convert", "-", stdin=text)
    tap.succeeds(done)
    tap.equal([line for line in done.stdout.splitlines() if "=" in line], ["devid=0x5a"])


def test_lint_lists_ignored_lines_on_demand():
    path = DATA / "progress.topo"
    tap.equal(topology("lint", path).stdout.count(": ignored: "), 0)
    done = topology("lint", "--ignored", path)
    tap.succeeds(done)
    tap.contains(done.stdout, f"{path}:2: ignored: DR path slid 0; dlid 0; 0,1 -> new Switch")


def test_lint_json_has_the_documented_members_and_no_others():
    done = topology("lint", "--json", DATA / "duplicate_lid.topo")
    tap.equal(done.returncode, 1)
    document = json.loads(done.stdout)
    problems = document.pop("problems")
    tap.equal(document, {"schema": "weft.topology.lint/1", "switches": 1, "cas": 2, "routers": 0,
                         "links": 2, "ignored_lines": 0})
    tap.equal([sorted(p) for p in problems], [["kind", "line", "text"]])
    tap.equal((problems[0]["line"], problems[0]["kind"]), (26, "duplicate-lid"))


def test_json_survives_names_that_are_no_utf8():
    with tap.scratch() as folder:
        path = pathlib.Path(folder, "latin1.topo")
        path.write_bytes(b'Switch 2 "S-0000000000000001" # "B\xfcro"\n'
                         b'[1] "S-0000000000000001"[2]\n')
        done = topology("lint", "--json", path)
        tap.equal(done.returncode, 1)
        tap.contains(json.loads(done.stdout)["problems"][0]["text"], r"B\xfcro")


def test_nothing_reaches_the_terminal_that_it_would_obey():
    # The reader drops a terminal's colours, so of the first only a file's name can have any.
    bad, shown = b"\x1b[2J\xc2\x9b31m\x9b\x07", r"\xc2\x9b31m\x9b\x07"
    with tap.scratch() as folder:
        path = os.path.join(os.fsencode(folder), bad + b".topo")
        with open(path, "wb") as out:
            out.write(b'Switch 2 "S-0000000000000001" # "' + bad + b'"\n'
                      b'[1] "S-0000000000000001"[2] # 4x' + bad + b'\n' + bad + b"\n")
        for words in (["lint", "--ignored", path], ["lint", "--json", path],
                      ["diff", path, EXAMPLE], ["lint", path + b"x"], [b"l" + bad, path]):
            done = subprocess.run([tap.weft(), "topology", *words], capture_output=True,
                                  check=False)
            text = done.stdout + done.stderr
            assert not re.search(rb"[\x00-\x09\x0b-\x1f\x7f-\x9f]", text), text
            tap.contains(text.decode().replace("\\\\", "\\"), shown)


def test_convert_reads_standard_input_and_is_its_own_fixed_point():
    text = (DATA / "terminal.topo").read_text(encoding="utf-8")
    once = topology("convert", "-", stdin=text)
    tap.succeeds(once)
    twice = topology("convert", "-", stdin=once.stdout)
    tap.succeeds(twice)
    tap.equal(twice.stdout, once.stdout)
    tap.contains(once.stdout, '\nSwitch\t36 "S-002000000000a100"\t\t# "leaf 1" enhanced port 0')


def test_a_pipe_is_read_by_any_name():
    text = pathlib.Path(EXAMPLE).read_text(encoding="utf-8")
    with tap.scratch() as folder:
        pipe = os.path.join(folder, "pipe")
        os.mkfifo(pipe)
        with subprocess.Popen(["cp", EXAMPLE, pipe]) as writer:
            tap.succeeds(topology("lint", pipe))
            tap.equal(writer.wait(timeout=60), 0)
    for name in ("-", "/dev/stdin"):
        tap.succeeds(topology("lint", name, stdin=text))


def test_generate_makes_the_bundled_example():
    done = topology("generate", "fat-tree:hosts=324,radix=36")
    tap.succeeds(done)
    assert done.stdout == pathlib.Path(EXAMPLE).read_text(encoding="utf-8"), \
        "examples/fat-tree-324.topo differs from what weft topology generate prints"


def test_diff_of_equal_topologies_says_nothing():
    done = topology("diff", EXAMPLE, "fat-tree:hosts=324,radix=36")
    tap.succeeds(done)
    tap.equal(done.stdout, "")


def test_diff_names_the_file_that_has_the_line():
    old, new = DATA / "clean.topo", DATA / "one_sided.topo"
    # The host is still named by its switch, so it is not gone, nor is its cable.
    host = 'Ca 002000000000b200 "node-2 HCA-1"'
    done = topology("diff", old, new)
    tap.equal((done.returncode, done.stdout),
              (1, f"{old}:25: stanza-removed: {host} has no stanza any more, though others name it"
                  "\n"))
    done = topology("diff", new, old)
    tap.equal((done.returncode, done.stdout),
              (1, f"{old}:25: stanza-added: {host} has a stanza now\n"))
    done = topology("diff", "--json", DATA / "clean.topo", DATA / "unreachable.topo")
    tap.equal(done.returncode, 1)
    document = json.loads(done.stdout)
    tap.equal(document["schema"], "weft.topology.diff/1")
    tap.equal([c["kind"] for c in document["changes"]], ["node-added", "node-added", "link-added"])


WRONG = {
    (): "lint, convert, generate or diff is missing",
    ("linf", "x"): 'did you mean "lint"?',
    ("lint",): "lint what?",
    ("diff", "a"): "the second is missing",
    ("convert", "--json", EXAMPLE): "has no --json",
    ("generate", "--ignored", "torus:x=3"): "has no --ignored",
    ("lint", "--json", "--ignored", EXAMPLE): "--ignored lists lines for people",
    ("lint", EXAMPLE, "more"): '"more"',
}

WRONG_TOPOLOGIES = {
    ("generate", "ring:n=3"): 'there is no generator "ring"',
    ("generate", EXAMPLE): "there is no generator",
    ("lint", "fat-tree:hosts=60000"): "hosts must be a number from 1 to 50000",
    ("convert", "fat-tre:hosts=3"): 'there is no generator "fat-tre"; try fat-tree:hosts=324',
    ("lint", ""): "the topology's name is empty; try fat-tree:hosts=324,radix=36",
}


def test_wrong_command_lines_say_what_is_wrong_and_exit_with_2():
    for words, part in WRONG.items():
        done = topology(*words)
        tap.equal((done.returncode, done.stdout), (2, ""), f"exit code and output of {words}")
        tap.contains(done.stderr, part)
        tap.contains(done.stderr, "weft: try weft topology --help")


def test_wrong_topologies_get_one_piece_of_advice():
    for words, part in WRONG_TOPOLOGIES.items():
        done = topology(*words)
        tap.equal((done.returncode, done.stdout), (2, ""), f"exit code and output of {words}")
        tap.contains(done.stderr, part)
        tap.equal(done.stderr.count("try "), 1, done.stderr)


def test_a_file_may_be_called_as_if_it_were_a_generator():
    with tap.scratch() as folder:
        path = pathlib.Path(folder, "ring:n=3")
        path.write_bytes((DATA / "clean.topo").read_bytes())
        tap.succeeds(topology("lint", "ring:n=3", cwd=folder))
        # A path is meant as one, whatever it looks like.
        tap.equal(topology("lint", "./none:n=3", cwd=folder).returncode, 3)


def refused(content, where):
    with tap.scratch() as folder:
        path = pathlib.Path(folder, "input")
        with path.open("wb") as out:
            for block in content:
                out.write(block)
        for action in ("lint", "convert"):
            done = topology(action, path)
            tap.equal((done.returncode, done.stdout), (3, ""), "exit code and output")
            tap.contains(done.stderr, f"weft: {path}:{where}: ")


def test_hostile_input_is_refused_with_its_line():
    refused([b"hello\nworld\n"], 2)
    refused([b'Switch 2 "a"\n[1]\0"b"[1]\n'], 2)
    refused([b'Switch 2 "a"\n', b"x" * 10_000_000, b"\n"], 2)
    refused([b"\0" * 4096], 1)
    refused([bytes(range(1, 256)) * 1000], 1001)


def test_200_mb_are_refused_in_the_line_that_goes_over_the_limit():
    head, line = b'Switch 2 "a"\n', b"this line means nothing\n"
    allowed = (128 * 1024 * 1024 - len(head)) // len(line)
    refused([head] + [line * 100_000] * 84, allowed + 2)


def test_more_port_lines_than_the_limit_are_refused():
    head, line = b'Switch 2 "a"\n', b'[1] "b"[1]\n'
    refused([head] + [line * 100_000] * 21, 2_000_002)


def test_missing_file_is_named():
    done = topology("lint", "/nonexistent/dump.topo")
    tap.equal(done.returncode, 3)
    tap.contains(done.stderr, "weft: /nonexistent/dump.topo: the file cannot be opened: No such")


tap.main(globals())
