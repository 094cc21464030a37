#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Each difference from Linux and from ibsim names tests, and these exist."""
import re

import tap

ROW = re.compile(r"\|(?!---)(.+)\|")
NAME = re.compile(r"`(test_\w+)`")


def problems(path, text, existing):
    """Rows without a test, and names of tests that do not exist."""
    header = True
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.startswith("|"):
            header = True
            continue
        row = ROW.fullmatch(line)
        if header or row is None:
            header = row is not None
            continue
        named = NAME.findall(row[1].rsplit("|", 1)[-1])
        if not named:
            yield f"{path}:{number}: this difference names no test"
        for name in named:
            if name not in existing:
                yield f"{path}:{number}: there is no {name}"


def names_in(folder, pattern, expression):
    return {name for path in sorted((tap.ROOT / folder).glob(pattern))
            for name in re.findall(expression, path.read_text(encoding="utf-8"), flags=re.M)}


def existing_tests():
    return (names_in("tests/unit", "test_*.c", r"cmocka_unit_test\w*\(\s*(test_\w+)") |
            names_in("tests/e2e", "fabric_*.py", r"^def (test_\w+)\("))


def test_every_difference_names_tests_that_run():
    text = (tap.ROOT / "docs/compat.md").read_text(encoding="utf-8")
    assert text.count("\n|") > 40, "the tables are not read"
    tap.none(problems("docs/compat.md", text, existing_tests()))


def test_every_race_and_difference_of_the_connection_manager_names_tests_that_run():
    text = (tap.ROOT / "docs/iwcm.md").read_text(encoding="utf-8")
    before, _, text = text.partition("\n## The races\n")
    assert text.count("\n|") > 30, "the tables are not read"
    lines = before.count("\n") + 2
    tap.none(problems("docs/iwcm.md", "\n" * lines + text, existing_tests()))


def test_a_planted_fault_is_found():
    table = "| Topic | Test |\n|---|---|\n| a | `test_a` |\n| b | `test_b` |\n| c | none |\n"
    tap.equal(list(problems("a.md", table, {"test_a"})),
              ["a.md:4: there is no test_b", "a.md:5: this difference names no test"])


tap.main(globals())
