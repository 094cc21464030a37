#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Spin checks the send machine's table in every surrounding, and rejects a broken table."""
import pathlib
import re
import shutil

import tap

MODELS = tap.ROOT / "models"
TABLE = "send_fsm_table.pml"

# Cell -> a wrong entry that the model must not accept.
MUTANTS = {
    "RESPONSE EARLY_RESP": "DONE",
    "RESPONSE CANCELED": "DONE",
    "SENT_AWAIT CANCELED": "STAY",
    "SENT_AWAIT SEND_START": "DONE",
    "SENT_ERROR EARLY_RESP": "NEVER",
    "RELEASE QUEUED": "STAY",
    "RETRY_QUEUED WAIT_RESP": "STAY",
    "TIMEOUT WAIT_RESP": "CANCELED",
    "CANCEL QUEUED": "SEND_START",
}


def check(folder):
    """Runs Spin on the models in a folder; gives what the checker printed."""
    # Optimizing the checker takes longer than it saves.
    for command in (["spin", "-a", "send.pml"],
                    ["cc", "-O0", "-w", "-DSAFETY", "-DCOLLAPSE", "-DVECTORSZ=2048", "-o", "pan",
                     "pan.c"]):
        tap.succeeds(tap.run(command, cwd=folder))
    return tap.run(["./pan", "-m100000", "-w22"], cwd=folder, timeout=300).stdout


def copy_models(folder):
    for name in ("send.pml", TABLE):
        shutil.copy(MODELS / name, folder)


def unreached(said):
    """Statements of the processes that no run executed; those of the inlines have lower lines."""
    lines = (MODELS / "send.pml").read_text(encoding="utf-8").splitlines()
    first = next(n for n, line in enumerate(lines, start=1) if line.startswith("proctype"))
    for line, text in re.findall(r'send\.pml:(\d+), state \d+, "(.*)"', said):
        if int(line) >= first and text != "-end-":
            yield f"send.pml:{line}: never executed: {text}"


def test_R18_R20_R21_R22_no_order_breaks_the_send_machine():
    with tap.scratch() as folder:
        copy_models(folder)
        said = check(folder)
    tap.contains(said, "errors: 0", "Spin's report")
    assert "max search depth too small" not in said and "Search not completed" not in said, said
    tap.none(unreached(said))
    print("#" + re.search(r".*states, stored", said)[0])


def test_a_broken_cell_is_found():
    survivors = []
    for cell, wrong in MUTANTS.items():
        event, state = cell.split()
        with tap.scratch() as folder:
            copy_models(folder)
            table = pathlib.Path(folder, TABLE)
            text, count = re.subn(rf"(cell\[IN_{event} \* STATES \+ {state}\] = )\w+;",
                                  rf"\g<1>{wrong};", table.read_text(encoding="utf-8"))
            assert count == 1, f"the table has no cell {cell}"
            table.write_text(text, encoding="utf-8")
            said = check(folder)
        if "errors: 1" not in said:
            survivors.append(f"{cell} = {wrong} is accepted")
    tap.none(survivors)


if __name__ == "__main__":
    tap.main(globals())
