#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""docs/compat.md: each difference from Linux and from ibsim names tests, and these exist."""
import re

import tap

ROW = re.compile(r"\|(?!---)(.+)\|")
NAME = re.compile(r"`(test_\w+)`")


def problems(text, existing):
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
            yield f"docs/compat.md:{number}: this difference names no test"
        for name in named:
            if name not in existing:
                yield f"docs/compat.md:{number}: there is no {name}"


def names_in(folder, pattern, expression):
    return {name for path in sorted((tap.ROOT / folder).glob(pattern))
            for name in re.findall(expression, path.read_text(encoding="utf-8"), flags=re.M)}


def existing_tests():
    return (names_in("tests/unit", "test_*.c", r"cmocka_unit_test\w*\(\s*(test_\w+)") |
            names_in("tests/e2e", "fabric_*.py", r"^def (test_\w+)\("))


def test_every_difference_names_tests_that_run():
    text = (tap.ROOT / "docs/compat.md").read_text(encoding="utf-8")
    assert text.count("\n|") > 40, "the tables are not read"
    tap.none(problems(text, existing_tests()))


def test_a_planted_fault_is_found():
    table = "| Topic | Test |\n|---|---|\n| a | `test_a` |\n| b | `test_b` |\n| c | none |\n"
    tap.equal(list(problems(table, {"test_a"})),
              ["docs/compat.md:4: there is no test_b",
               "docs/compat.md:5: this difference names no test"])


tap.main(globals())
