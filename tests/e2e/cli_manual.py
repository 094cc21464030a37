#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The manual: every verb has a page, its options are those of --help, its examples run."""
import json
import os
import pathlib
import re

import tap

MAN = tap.ROOT / "man"


def verbs():
    text = (tap.ROOT / "src/cli/verbs.def").read_text(encoding="utf-8")
    return re.findall(r"^WEFT_VERB\((\w+),", text, flags=re.M)


def page(name):
    return (MAN / f"{name}.1.scd").read_text(encoding="utf-8")


def section(text, heading):
    found = re.search(rf"^# {heading}\n(.*?)(?=^# |\Z)", text, flags=re.M | re.S)
    assert found, f"it has no section {heading}"
    return found[1]


def examples(name):
    """The commands of a page's EXAMPLES: lines that begin with `$ weft `."""
    return re.findall(r"^\s*\$ (weft .*)$", section(page(name), "EXAMPLES"), flags=re.M)


def long_options(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))


def test_every_verb_has_a_page_and_every_page_a_verb():
    tap.equal(sorted(p.name for p in MAN.glob("weft*.scd")),
              sorted(["weft.1.scd", *(f"weft-{v}.1.scd" for v in verbs())]))


def test_the_command_s_page_names_every_verb():
    for verb in verbs():
        tap.contains(page("weft"), f"*weft-{verb}*(1)", "man/weft.1.scd")


def test_options_in_the_manual_are_those_of_the_help():
    for verb in verbs():
        shown = long_options(tap.run([tap.weft(), verb, "--help"]).stdout)
        described = {o.replace("\\", "") for o in long_options(page(f"weft-{verb}"))}
        tap.none(f"man/weft-{verb}.1.scd says nothing of {o}" for o in sorted(shown - described))


def sanitized():
    """Whether the build is instrumented: other packages' programs cannot load its libraries."""
    path = pathlib.Path(os.environ["WEFT_BUILD"], "meson-info/intro-buildoptions.json")
    options = json.loads(path.read_text(encoding="utf-8"))
    return next(o["value"] for o in options if o["name"] == "b_sanitize") != "none"


def run_examples(name):
    commands = examples(name)
    if sanitized():
        # Neither do those that ask OpenSM something, or end it.
        others = r"weft run .*-- (?!env)|weft sa |opensm\.pid"
        commands = [c for c in commands if not re.search(others, c)]
    assert commands, f"man/{name}.1.scd has no example"
    with tap.scratch() as folder:
        # Examples speak of the bundled topologies as a reader of the tree would.
        pathlib.Path(folder, "examples").symlink_to(tap.ROOT / "examples")
        env = {"PATH": f"{pathlib.Path(tap.weft()).parent}:{os.environ['PATH']}:/usr/sbin",
               "WEFT_FABRIC": f"{folder}/fabric.sock"}
        try:
            for command in commands:
                done = tap.run(["sh", "-c", command], cwd=folder, env=env)
                assert done.returncode in (0, 1), \
                    f"$ {command}\nexit code {done.returncode}\n{done.stderr}"
        finally:
            # An example that fails leaves behind what a later one would have ended.
            tap.run([tap.weft(), "fabric", "ctl", "stop"], env=env)


def test_examples_of_the_command_run():
    run_examples("weft")


def test_examples_of_every_verb_run():
    for verb in verbs():
        run_examples(f"weft-{verb}")


tap.main(globals())
