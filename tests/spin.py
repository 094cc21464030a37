# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Spin models as tests: the whole state space, statements that no run reached, and wrong tables."""
import pathlib
import re
import shutil

import tap

MODELS = tap.ROOT / "models"


class Model:
    """A model, and the table of a state machine that it includes."""

    def __init__(self, name, table):
        self.name, self.table = name, table

    def check(self, folder):
        """Runs Spin on the copy in a folder; gives what the checker printed."""
        # Optimizing the checker takes longer than it saves.
        for command in (["spin", "-a", self.name],
                        ["cc", "-O0", "-w", "-DSAFETY", "-DCOLLAPSE", "-DVECTORSZ=2048", "-o",
                         "pan", "pan.c"]):
            tap.succeeds(tap.run(command, cwd=folder))
        return tap.run(["./pan", "-m100000", "-w22"], cwd=folder, timeout=300).stdout

    def copy(self, folder):
        for name in (self.name, self.table):
            shutil.copy(MODELS / name, folder)

    def unreached(self, said):
        """Statements of the processes that no run executed; those of the inlines stand above."""
        lines = (MODELS / self.name).read_text(encoding="utf-8").splitlines()
        first = next(n for n, line in enumerate(lines, start=1) if line.startswith("proctype"))
        pattern = re.escape(self.name) + r':(\d+), state \d+, "(.*)"'
        for line, text in re.findall(pattern, said):
            if int(line) >= first and text != "-end-":
                yield f"{self.name}:{line}: never executed: {text}"

    def holds(self):
        """No order of steps breaks the model, and every statement of its processes is reached."""
        with tap.scratch() as folder:
            self.copy(folder)
            said = self.check(folder)
        tap.contains(said, "errors: 0", "Spin's report")
        assert "max search depth too small" not in said and "Search not completed" not in said, said
        tap.none(self.unreached(said))
        print("#" + re.search(r".*states, stored", said)[0])

    def finds(self, mutants):
        """Each wrong cell of the table is noticed.
        mutants: "INPUT STATE" -> the wrong entry"""
        survivors = []
        for cell, wrong in mutants.items():
            event, state = cell.split()
            with tap.scratch() as folder:
                self.copy(folder)
                table = pathlib.Path(folder, self.table)
                text, count = re.subn(rf"(cell\[IN_{event} \* STATES \+ {state}\] = )\w+;",
                                      rf"\g<1>{wrong};", table.read_text(encoding="utf-8"))
                assert count == 1, f"the table has no cell {cell}"
                table.write_text(text, encoding="utf-8")
                said = self.check(folder)
            if "errors: 1" not in said:
                survivors.append(f"{cell} = {wrong} is accepted")
        tap.none(survivors)
