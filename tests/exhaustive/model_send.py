#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Spin checks the send machine's table in every surrounding, and rejects a broken table."""
import spin
import tap

SEND = spin.Model("send.pml", "send_fsm_table.pml")

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


def test_R18_R20_R21_R22_no_order_breaks_the_send_machine():
    SEND.holds()


def test_a_broken_cell_is_found():
    SEND.finds(MUTANTS)


if __name__ == "__main__":
    tap.main(globals())
