#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Documents: the headers' reference is complete, made files are current, links lead somewhere."""
import re

import tap
import tree


def current(tool):
    done = tap.run([str(tap.ROOT / "tools" / tool), "--check"])
    tap.succeeds(done)


def test_every_public_declaration_is_documented():
    with tap.scratch() as folder:
        done = tap.run([str(tap.ROOT / "tools/run-doxygen"), folder])
    tap.succeeds(done)


def test_every_requirement_has_a_test_or_an_answer():
    current("coverage")


def test_R19_state_tables_and_models_are_those_of_the_engine():
    current("generate-states")


def test_wire_tables_are_those_of_the_codecs():
    current("update-wire-tables")


def without_code(text):
    """A document without its fences and code spans: what looks like a link there is none."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    return re.sub(r"(`+).+?\1", "", text)


def test_links_in_documents_lead_to_files():
    for path, text in tree.texts():
        if not path.endswith(".md"):
            continue
        folder = (tap.ROOT / path).parent
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", without_code(text)):
            assert (folder / target).exists(), f"{path} links to {target}, which does not exist"


def test_the_readme_is_one_screen_and_names_the_two_commands():
    text = (tap.ROOT / "README.md").read_text(encoding="utf-8")
    assert text.count("\n") <= 70, f"README.md has {text.count(chr(10))} lines"
    for command in ("make demo", "make test"):
        tap.contains(text, command, "README.md")


tap.main(globals())
