#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The Spin model of a P_Key cache's commits, events and lookups, around the refresh's own table."""
import spin
import tap

PKEY = spin.Model("pkey.pml", "pkey_refresh_fsm_table.pml")

# Cell -> a wrong entry that the model must not accept.
MUTANTS = {
    "EVENT IDLE": "STAY",       # the event is lost
    "EVENT READING": "IDLE",
    "EVENT WAITING": "IDLE",
    "COMPLETE READING": "STAY",  # it never ends
    "FAILED READING": "IDLE",   # a failure loses the event
    "DUE WAITING": "IDLE",
}


def test_R137_R154_no_order_leaves_the_cache_behind_or_half():
    PKEY.holds()


def test_a_broken_cell_is_found():
    PKEY.finds(MUTANTS)


if __name__ == "__main__":
    tap.main(globals())
