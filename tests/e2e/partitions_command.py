#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""weft partitions as a user runs it: what lint and vf print, and what they say when they cannot."""
import json
import os
import pathlib
import re
import subprocess

import tap

DATA = tap.ROOT / "tests/data/partitions"


def partitions(*words, **options):
    return tap.run([tap.weft(), "partitions", *map(str, words)], **options)


def lint_json(text, *options):
    done = partitions("lint", "--json", *options, "-", stdin=text)
    assert done.returncode in (0, 1), done.stderr
    document = json.loads(done.stdout)
    tap.equal(done.returncode, 1 if document["problems"] else 0, "exit code")
    return document


def test_lint_of_a_good_file_shows_its_partitions_and_exits_with_0():
    path = DATA / "site.conf"
    done = partitions("lint", path)
    tap.succeeds(done)
    tap.equal(done.stdout.splitlines(),
              ["0x7fff Default: ALL=limited, ALL_SWITCHES=full, SELF=full",
               "0x0010 storage: ALL_CAS=limited, 3 ports full",
               "0x0020 compute: 2 ports full",
               f"{path}: 3 partitions; 0 problems"])


def test_lint_gives_file_line_and_kind_and_exit_code_1():
    path = DATA / "contradictions.conf"
    done = partitions("lint", path)
    tap.equal(done.returncode, 1)
    found = re.findall(rf"^{re.escape(str(path))}:(\d+): ([a-z0-9-]+): ", done.stdout, flags=re.M)
    tap.equal(found, [
        ("2", "default-without-sm"), ("4", "key-bit-15"), ("5", "membership"),
        ("6", "limited-only"), ("7", "invalid-key"), ("8", "unknown-flag"), ("9", "key-range"),
        ("10", "bad-value"), ("11", "membership"), ("11", "limited-only"), ("12", "empty")])


def test_a_mistake_tells_column_what_was_expected_and_what_opensm_does():
    path = DATA / "mistake.conf"
    done = partitions("lint", path)
    tap.equal(done.returncode, 1)
    tap.contains(done.stdout, f"{path}:4: syntax: column 5: expected a port GUID, ALL, ")
    tap.contains(done.stdout, "hexadecimal numbers begin with 0x; OpenSM stops here and drops the "
                              "whole file")
    tap.contains(done.stdout, "\n0x7fff Default: ALL=full\n")
    tap.contains(done.stdout, "1 partition, without what the file says; 1 problem; "
                              "OpenSM stops in line 4\n")


def test_json_has_the_documented_members():
    document = lint_json("Default=0x7fff: ALL, SELF=full;\nA=0x8001,foo: 0x12=full, SELF;\nB=2:;")
    tap.equal(document, {
        "schema": "weft.partitions.lint/1",
        "refused": False,
        "partitions": [
            {"name": "Default", "pkey": "0x7fff", "members": [
                {"port": "ALL", "membership": "limited", "line": 1},
                {"port": "SELF", "membership": "full", "line": 1}]},
            {"name": "A", "pkey": "0x0001", "members": [
                {"port": "0x0000000000000012", "membership": "full", "line": 2},
                {"port": "SELF", "membership": "limited", "line": 2}]}],
        "problems": [
            {"line": 2, "kind": "unknown-flag",
             "text": 'there is no flag "foo", OpenSM ignores it'},
            {"line": 3, "kind": "empty",
             "text": 'partition "B" has no member, OpenSM does not make it'}]})


def test_json_tells_when_the_file_is_dropped():
    document = lint_json("A=1: x;")
    tap.equal(document["refused"], True)
    tap.equal(document["partitions"], [{"name": "Default", "pkey": "0x7fff", "members": [
        {"port": "ALL", "membership": "full", "line": 0}]}])
    tap.equal([(p["line"], p["kind"]) for p in document["problems"]], [(1, "syntax")])


def test_both_forms_need_opensm_s_option():
    text = "A=1: ALL=both;"
    tap.equal([p["kind"] for p in lint_json(text)["problems"]], ["both-forms"])
    document = lint_json(text, "--allow-both-pkeys")
    tap.equal(document["problems"], [])
    tap.equal(document["partitions"][1]["members"][0]["membership"], "both")


def test_nothing_reaches_the_terminal_that_it_would_obey():
    bad = b"\x1b[2J\xc2\x9b31m\x9b\x07"
    with tap.scratch() as folder:
        path = os.path.join(os.fsencode(folder), b"x" + bad)
        with open(path, "wb") as out:
            out.write(bad + b"=1," + bad + b"=" + bad + b":ALL=" + bad + b"," + bad + b";\n"
                      b"mgid" + bad + b"\nN" + bad + b"=5:ALL=full;")
        for words in (["lint", path], ["lint", "--json", path], ["l" + "int", path + b"y"],
                      [b"l" + bad], ["vf", "--sysfs", path]):
            done = subprocess.run([tap.weft(), "partitions", *words], capture_output=True,
                                  check=False)
            assert not re.search(rb"[\x00-\x09\x0b-\x1f\x7f-\x9f]", done.stdout + done.stderr), done


WRONG = {
    (): "what should it do? lint",
    ("linf", "x"): 'did you mean "lint"?',
    ("frobnicate",): "it can lint",
    ("lint", "a", "more"): '"more"',
    ("lint", "--sysfs", "x"): "lint has no --sysfs",
    ("vf", "--allow-both-pkeys"): "vf has no --allow-both-pkeys",
    ("vf", "x"): '"x"',
}


def test_wrong_command_lines_say_what_is_wrong_and_exit_with_2():
    for words, part in WRONG.items():
        done = partitions(*words)
        tap.equal((done.returncode, done.stdout), (2, ""), f"exit code and output of {words}")
        tap.contains(done.stderr, part)
        tap.contains(done.stderr, "weft: try weft partitions --help")


def test_missing_files_are_named():
    done = partitions("lint", "/nonexistent/partitions.conf")
    tap.equal(done.returncode, 3)
    tap.contains(done.stderr, "weft: /nonexistent/partitions.conf: the file cannot be opened: No ")
    done = partitions("lint", "/")
    tap.equal(done.returncode, 3)
    tap.contains(done.stderr, "cannot be read: Is a directory")
    done = partitions("vf", "--sysfs", "/nonexistent")
    tap.equal(done.returncode, 3)
    tap.contains(done.stderr, "weft: /nonexistent: the folder cannot be read: No such")


def test_without_a_file_opensm_s_own_is_meant():
    done = partitions("lint")
    if pathlib.Path("/etc/opensm/partitions.conf").exists():
        assert done.returncode in (0, 1), done.stderr
    else:
        tap.succeeds(done)
        tap.contains(done.stderr, "there is no /etc/opensm/partitions.conf; without it OpenSM")
        tap.contains(done.stdout, "0x7fff Default: ALL=full\n")


def test_a_byte_order_mark_is_named():
    found = lint_json("\ufeff# a comment\nA=1: ALL;")["problems"]
    tap.equal([(p["line"], p["kind"]) for p in found],
              [(1, "byte-order-mark"), (1, "syntax")])


def test_definitions_without_a_key_are_summed_up():
    text = "".join(f"k{number}={number:#x}: ALL=full;\n" for number in range(1, 0x7fff))
    done = partitions("lint", "-", stdin=text + "x: ALL=full;\n" * 300)
    lines = [line for line in done.stdout.splitlines() if "P_Key" in line]
    tap.equal(len(lines), 101)
    tap.contains(lines[0], "standard input:32767: syntax: column 1: expected a P_Key")
    tap.contains(lines[100], "standard input:32867: syntax: for this definition and 199 behind it")
    tap.contains(done.stdout, "; 101 problems; OpenSM stops in line 32767\n")


def refused(content, where):
    with tap.scratch() as folder:
        path = pathlib.Path(folder, "input")
        with path.open("wb") as out:
            for block in content:
                out.write(block)
        done = partitions("lint", path)
        tap.equal((done.returncode, done.stdout), (3, ""), "exit code and output")
        tap.contains(done.stderr, f"weft: {path}{where}: ")


def test_hostile_input_is_refused_with_its_line():
    refused([b"A=1:ALL;\nB\0=2:ALL;\n"], ":2")
    refused([b"A=1:ALL;\n", b"x" * 10_000_000, b"\n"], ":2")
    refused([b"\0" * 4096], ":1")
    refused([b"\xff\xfeA\0=\0"], ":1")


def test_200_mb_are_refused():
    refused([b"# this line means nothing\n" * 100_000] * 80, "")


def test_bytes_without_sense_are_a_mistake_of_syntax():
    done = partitions("lint", "-", stdin="".join(map(chr, range(1, 128))) * 400)
    tap.equal(done.returncode, 1, done.stderr)
    tap.contains(done.stdout, "standard input:1: ")


PF, A, B = "0000:04:00.0", "0000:04:00.1", "0000:04:00.2"


class Tree:
    """A made tree of mlx4: eight physical entries, of which functions see seven."""

    def __init__(self, folder, keys, device="mlx4_0"):
        self.folder = pathlib.Path(folder)
        self.device = self.folder / "class/infiniband" / device
        self.keys = keys
        for index, key in enumerate(keys):
            self.write(f"iov/ports/1/pkeys/{index}", f"0x{key:04x}")
        self.write("device-of/x", "")
        (self.device / "device").symlink_to(f"../../{PF}")
        self.guest(PF, list(range(len(keys) - 1)))

    def write(self, name, text):
        path = self.device / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="ascii")

    def guest(self, function, entries):
        for index, physical in enumerate(entries):
            self.write(f"iov/{function}/ports/1/pkey_idx/{index}",
                       "none" if physical is None else str(physical))

    def vf(self, *options):
        return partitions("vf", "--sysfs", self.folder, *options)

    def json(self):
        done = self.vf("--json")
        document = json.loads(done.stdout)
        tap.equal(done.returncode, 1 if document["problems"] else 0, "exit code")
        return document

    def kinds(self):
        return [(p["function"], p["kind"]) for p in self.json()["problems"]]


KEYS = [0xffff, 0x8001, 0x0001, 0x0002, 0, 0, 0, 0]


def test_vf_shows_each_function_s_table():
    with tap.scratch() as folder:
        tree = Tree(folder, KEYS)
        tree.guest(A, [0, 1, None, None, None, None, None])
        tree.guest(B, [0, None, 2, None, None, None, None])
        done = tree.vf()
        tap.succeeds(done)
        rows = [line.split() for line in done.stdout.splitlines()]
        tap.equal(rows[0], ["device", "port", "function", "virtual", "physical", "P_Key",
                            "membership"])
        tap.equal([row[2:] for row in rows[1:] if row[2] in (A, B)],
                  [[A, "0", "0", "0xffff", "full"], [A, "1", "1", "0x8001", "full"],
                   [B, "0", "0", "0xffff", "full"], [B, "2", "2", "0x0001", "limited"]])
        tap.equal(len([row for row in rows if row[2:4] == [PF, "(PF)"]]), 4)
        tap.equal(done.stdout.splitlines()[-1], f"{folder}: 1 device with SR-IOV; 0 problems")


def test_vf_json_has_the_documented_members():
    with tap.scratch() as folder:
        tree = Tree(folder, [0xffff, 0x0002, 0])
        tree.guest(A, [None, 1])
        document = tree.json()
        functions = document["devices"][0]["ports"][0].pop("functions")
        problems, notes = document.pop("problems"), document.pop("notes")
        tap.equal(document, {"schema": "weft.partitions.vf/1", "devices": [
            {"device": "mlx4_0", "ports": [{"port": "1", "physical_entries": 3}]}]})
        tap.equal([(f["function"], f["pf"]) for f in functions], [(PF, True), (A, False)])
        tap.equal(functions[1], {"function": A, "pf": False, "unassigned": 1, "entries": [
            {"virtual": 0, "physical": None, "pkey": "0x0000", "membership": "none"},
            {"virtual": 1, "physical": 1, "pkey": "0x0002", "membership": "limited"}]})
        tap.equal([sorted(p) for p in problems + notes],
                  [["device", "function", "kind", "port", "text"]] * 2)
        tap.equal([p["kind"] for p in problems + notes], ["no-entry-0", "nobody-full"])


def test_vf_finds_what_is_wrong_with_a_guest():
    for entries, wanted in {
            (0, 1, 2): ["both-forms"], (0, 1, 1): ["duplicate"], (0, 0): ["duplicate"],
            (None, 1): ["no-entry-0"], (0, 4): ["empty-entry"], (0, 7): ["out-of-range"],
            (0, 65535): ["out-of-range"], (0, None, None): [], (4, 5): ["empty-entry"] * 2,
            (2, 1): ["both-forms"], (1, 0): []}.items():
        with tap.scratch() as folder:
            tree = Tree(folder, KEYS)
            tree.guest(A, entries)
            tap.equal(tree.kinds(), [(A, kind) for kind in wanted], str(entries))


def test_vf_notes_limited_keys_that_nobody_holds_full():
    with tap.scratch() as folder:
        tree = Tree(folder, KEYS)
        tree.guest(A, [0, 2, 3])
        document = tree.json()
        tap.equal(document["problems"], [])
        tap.equal([(n["kind"], n["text"][:38]) for n in document["notes"]],
                  [("nobody-full", "entry 2 has the limited key 0x0002, an")])
        tap.contains(tree.vf().stdout, "mlx4_0 port 1 0000:04:00.1: note: nobody-full: entry 2")


def test_the_pf_may_hold_both_forms_and_is_known_without_its_link():
    for told in ("link", "gid", "identity"):
        with tap.scratch() as folder:
            tree = Tree(folder, KEYS)
            if told != "link":
                (tree.device / "device").unlink()
            if told == "gid":
                tree.write(f"iov/{PF}/ports/1/gid_idx/0", "0")
                tree.write(f"iov/{A}/ports/1/gid_idx/0", "1")
            tree.guest(A, [0, 1, 2])
            tap.equal(tree.kinds(), [(A, "both-forms")], told)


def test_files_that_say_nothing_are_named():
    with tap.scratch() as folder:
        tree = Tree(folder, KEYS)
        tree.guest(A, [0, 1])
        tree.write("iov/ports/1/pkeys/5", "many")
        tree.write(f"iov/{A}/ports/1/pkey_idx/1", "0x")
        (tree.device / f"iov/{A}/ports/1/pkey_idx/2").mkdir()
        problems = tree.json()["problems"]
        tap.equal([p["kind"] for p in problems], ["unreadable"] * 3)
        tap.contains(problems[0]["text"], '/iov/ports/1/pkeys/5 has "many"; expected a P_Key')
        tap.contains(problems[1]["text"], 'pkey_idx/1 has "0x"; expected a physical index or none')
        tap.contains(problems[2]["text"], "pkey_idx/2 cannot be read: Is a directory")


def test_files_that_are_missing_between_others_are_named():
    with tap.scratch() as folder:
        tree = Tree(folder, KEYS)
        tree.guest(A, [0, 1, None, None, None])
        for name in ("iov/ports/1/pkeys/1", "iov/ports/1/pkeys/2", f"iov/{A}/ports/1/pkey_idx/3"):
            (tree.device / name).unlink()
        problems = tree.json()["problems"]
        tap.equal([(p["function"], p["kind"]) for p in problems],
                  [("", "unreadable"), (A, "unreadable")])
        tap.contains(problems[0]["text"], "/iov/ports/1/pkeys/1 to 2 are missing")
        tap.contains(problems[1]["text"], "/pkey_idx/3 is missing")
        (tree.device / f"iov/{A}/ports/1/pkey_idx/0").unlink()
        tap.equal(tree.kinds()[1:], [(A, "unreadable")] * 2)


def test_nothing_follows_from_a_key_that_cannot_be_read():
    with tap.scratch() as folder:
        tree = Tree(folder, KEYS)
        tree.guest(A, [0, 3, 1])
        tree.write("iov/ports/1/pkeys/1", "much")
        document = tree.json()
        tap.equal([p["kind"] for p in document["problems"]], ["unreadable"])
        tap.equal(document["notes"], [])
        guest = next(f for f in document["devices"][0]["ports"][0]["functions"]
                     if f["function"] == A)
        tap.equal(guest["entries"][2],
                  {"virtual": 2, "physical": 1, "pkey": None, "membership": "unknown"})
        tap.contains(tree.vf().stdout, "unknown")
        tree.write(f"iov/{A}/ports/1/pkey_idx/0", "zero")
        tap.equal([kind for _, kind in tree.kinds()], ["unreadable"] * 2)


def test_values_are_those_that_mlx4_prints():
    for value in ("007", "0x1", "1\0", "1\x002", "no", "NONE", "-1", "1 ", " 1", "", "65536",
                  "1" + " " * 100):
        with tap.scratch() as folder:
            tree = Tree(folder, KEYS)
            tree.guest(A, [0])
            tree.write(f"iov/{A}/ports/1/pkey_idx/1", value)
            tap.equal(tree.kinds(), [(A, "unreadable")], repr(value))
    for value in ("1", "0xfff", "0x0ffff", "ffff", "0xffff\0", "0xfffg", "65535"):
        with tap.scratch() as folder:
            tree = Tree(folder, KEYS)
            tree.write("iov/ports/1/pkeys/4", value)
            tap.equal(tree.kinds(), [("", "unreadable")], repr(value))


def test_ports_and_entries_that_cannot_be_are_named():
    with tap.scratch() as folder:
        tree = Tree(folder, KEYS)
        tree.guest(A, [0])
        for port in ("0", "255", "01", "99999"):
            tree.write(f"iov/ports/{port}/pkeys/0", "0xffff")
        tree.write(f"iov/{A}/ports/0/pkey_idx/0", "0")
        tree.write(f"iov/{A}/ports/2/pkey_idx/0", "0")
        tree.write(f"iov/{A}/ports/1/pkey_idx/65536", "0")
        tree.write("iov/ports/1/pkeys/08", "0xffff")
        problems = tree.json()["problems"]
        tap.equal({p["kind"] for p in problems}, {"unreadable"})
        text = "\n".join(p["text"] for p in problems)
        for part in ("iov/ports/0 is no port", "iov/ports/255 is no port",
                     "iov/ports/01 is no port", "iov/ports/99999 is no port",
                     f"{A}/ports/2: there is no ",
                     "/pkey_idx/65536: expected a name", "/pkeys/08: expected a name"):
            tap.contains(text, part)


def test_trees_that_lack_parts_are_told_of():
    with tap.scratch() as folder:
        root = pathlib.Path(folder)
        (root / "mlx5_0").mkdir()
        (root / "mlx4_0/iov").mkdir(parents=True)
        (root / "mlx4_1/iov/ports/1").mkdir(parents=True)
        (root / "mlx4_1/iov/0000:05:00.1/ports/1").mkdir(parents=True)
        done = partitions("vf", "--sysfs", root, "--json")
        tap.equal(done.returncode, 1)
        tap.equal([(p["device"], p["port"], p["function"], p["kind"])
                   for p in json.loads(done.stdout)["problems"]],
                  [("mlx4_0", "", "", "unreadable"), ("mlx4_1", "1", "", "unreadable"),
                   ("mlx4_1", "1", "0000:05:00.1", "unreadable")])
        done = partitions("vf", "--sysfs", root / "mlx5_0")
        tap.succeeds(done)
        tap.equal(done.stdout, f"{root / 'mlx5_0'}: 0 devices with SR-IOV; 0 problems\n")


tap.main(globals())
