#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Spin checks the facade's lock, condition and worker in every order, and rejects broken ones."""
import pathlib

import spin
import tap

NAME = "iw_facade.pml"
FACADE = spin.Model(NAME, NAME)

# What is wrong -> the text that is right, and what stands there instead.
MUTANTS = {
    "the worker is not woken for a callback":
        (":: ready && waiting -> woken = true", ":: ready && waiting"),
    "nobody is told that the id is gone":
        ("gone = true;\n        changed();", "gone = true;"),
    "nobody is told that a callback has ended":
        ("verdict = false;\n                changed();", "verdict = false;"),
    "nobody is told how a call ended":
        (":: event == DONE -> done++; changed()", ":: event == DONE -> done++"),
    "destroying does not wait for the callback":
        (":: gone && running == 0 -> break", ":: gone -> break"),
    "a callback may destroy and wait":
        ("skip; /* to destroy is refused */", "gone && running == 0;"),
    "a nonzero return destroys what is being destroyed":
        (":: verdict && !given_up -> give_up()", ":: verdict -> give_up()"),
    "events wait on after destroying":
        ("drop(events);\n    ready = false;", "skip;"),
    "the id is freed under a callback":
        ("gone && running == 0 && visitors == 0", "gone && visitors == 0"),
    "the id is freed under a call that waits":
        ("gone && running == 0 && visitors == 0", "gone && running == 0"),
    "the worker waits though a callback is due":
        ("waiting = !ready;", "waiting = true;"),
}


def test_R119_R123_R133_R134_R135_R136_no_order_deadlocks_or_calls_back_after_destroying():
    FACADE.holds()


def test_a_broken_facade_is_found():
    survivors = []
    for what, (right, wrong) in MUTANTS.items():
        with tap.scratch() as folder:
            FACADE.copy(folder)
            model = pathlib.Path(folder, NAME)
            text = model.read_text(encoding="utf-8")
            tap.equal(text.count(right), 1, what)
            model.write_text(text.replace(right, wrong), encoding="utf-8")
            said = FACADE.check(folder)
        if "errors: 1" not in said:
            survivors.append(f"{what}: is accepted")
    tap.none(survivors)


if __name__ == "__main__":
    tap.main(globals())
