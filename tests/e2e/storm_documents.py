#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The tables in docs/storm.md are what the command prints."""
import re

import tap

ROWS = ("policy", "naive", "fixed", "backoff", "kernel-flow", "port-flow", "adaptive")


def console_blocks(text):
    """(command, what it printed) of every console block of a document."""
    for block in re.findall(r"^```console\n(.*?)^```$", text, flags=re.M | re.S):
        command, printed = block.split("\n", 1)
        assert command.startswith("$ weft storm "), command
        yield command.removeprefix("$ weft storm ").split(), printed


def test_R79_the_documents_show_what_the_command_prints():
    text = (tap.ROOT / "docs/storm.md").read_text(encoding="utf-8")
    blocks = list(console_blocks(text))
    assert len(blocks) >= 3, "docs/storm.md shows too little"
    for words, printed in blocks:
        done = tap.run([tap.weft(), "storm", *words])
        tap.succeeds(done)
        shown = "\n".join(line.rstrip() for line in done.stdout.splitlines()
                          if re.split("[ ,]", line)[0] in ROWS) + "\n"
        tap.equal(shown, printed, " ".join(words))


tap.main(globals())
