#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Pages whose commands are run: in order, and they print what the page says they print."""
import os
import pathlib
import re
import signal
import subprocess

import tap

# It normally takes some seconds.
DEADLINE_S = 90
END_OF_BLOCK = "\N{FULL BLOCK} end of block"


def blocks(page):
    """(line, commands, what they print or None) of each block of commands."""
    text = (tap.ROOT / page).read_text(encoding="utf-8")
    found = re.finditer(r"^```sh\n(.*?)^```\n(?:```text\n(.*?)^```\n)?", text, flags=re.M | re.S)
    return [(text.count("\n", 0, block.start()) + 1, block[1], block[2]) for block in found]


def pattern(text):
    """A regular expression for a text in which `...` stands for what is left out: whole lines
    where it stands alone, otherwise a part of a line."""
    lines = []
    for line in text.splitlines():
        if line == "...":
            lines.append(r"(?:[^\n]*\n)*?")
        else:
            parts = (re.escape(re.sub(r"[ \t]+", " ", part)) for part in line.split("..."))
            lines.append(r"[^\n]*".join(parts) + r"\n")
    return "".join(lines)


def run_blocks(folder, commands, socket):
    """What each block printed; those after a failed command are not run."""
    pathlib.Path(folder, "examples").symlink_to(tap.ROOT / "examples")
    script = "set -e\n" + "".join(f"{block}echo '{END_OF_BLOCK}'\n" for block in commands)
    environment = {**os.environ,
                   "PATH": f"{pathlib.Path(tap.weft()).parent}:{os.environ['PATH']}"}
    with subprocess.Popen(["sh"], cwd=folder, env=environment, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", start_new_session=True) as shell:
        try:
            printed, _ = shell.communicate(script, timeout=DEADLINE_S)
        finally:
            # Whatever it has left running is of its session; the fabric is not.
            try:
                os.killpg(shell.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            left = tap.run([tap.weft(), "fabric", "ctl", f"{folder}/{socket}", "stop"])
    assert shell.returncode != 0 or left.returncode != 0, "the page leaves its fabric running"
    return printed.split(END_OF_BLOCK + "\n")


def check(page, socket):
    told = blocks(page)
    assert len(told) > 5, f"{page} has hardly a command"
    with tap.scratch() as folder:
        printed = run_blocks(folder, [commands for _, commands, _ in told], socket)
        for (line, commands, wanted), got in zip(told, printed):
            where = f"{page}:{line}:\n{commands}"
            if wanted is not None:
                assert re.fullmatch(pattern(wanted), re.sub(r"[ \t]+", " ", got)), \
                    f"{where}prints\n{got}and should print\n{wanted}"
        tap.equal(len(printed), len(told) + 1, f"blocks, of which the last printed\n{printed[-1]}")


def test_the_commands_print_what_the_tutorial_says():
    check("docs/tutorial-opensm.md", "tour/fabric.sock")


def test_R142_the_commands_print_what_the_page_on_guests_says():
    check("docs/sriov-pkeys.md", "guests/fabric.sock")


tap.main(globals())
