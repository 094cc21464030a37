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


def links(path, text):
    """The files that a document links to, from the root."""
    folder = (tap.ROOT / path).parent
    # What looks like a link in code is none.
    text = re.sub(r"^```.*?^```|`[^`\n]*`", "", text, flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text):
        yield (folder / target).resolve()


def test_links_in_documents_lead_to_files():
    tap.none(f"{path} links to {target}, which does not exist"
             for path, text in tree.texts() if path.endswith(".md")
             for target in links(path, text) if not target.exists())


def test_every_chapter_can_be_found_from_the_readme_or_the_design():
    texts = dict(tree.texts())
    linked = {target for path in ("README.md", "docs/design.md")
              for target in links(path, texts[path])}
    tap.none(f"{path} is linked from neither README.md nor docs/design.md"
             for path in texts if re.fullmatch(r"docs/.*\.md", path)
             and (tap.ROOT / path).resolve() not in linked)


def test_the_design_names_each_file_of_the_engine():
    text = (tap.ROOT / "docs/design.md").read_text(encoding="utf-8")
    tap.none(f"docs/design.md does not say what {path} is for" for path in tree.files()
             if re.fullmatch(r"src/core/mad/\w+\.(?:c|def)", path)
             and f"`{path.rsplit('/', 1)[1]}`" not in text)


def test_the_readme_is_one_screen_and_names_the_two_commands():
    text = (tap.ROOT / "README.md").read_text(encoding="utf-8")
    assert text.count("\n") <= 70, f"README.md has {text.count(chr(10))} lines"
    for command in ("make demo", "make test"):
        tap.contains(text, command, "README.md")


tap.main(globals())
