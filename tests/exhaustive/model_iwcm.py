#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The Spin model of client, connection manager and provider, around the machine's own table."""
import spin
import tap

IWCM = spin.Model("iwcm.pml", "iwcm_fsm_table.pml")

# Cell -> a wrong entry that the model must not accept.
MUTANTS = {
    "REJECT CONN_RECV": "STAY",
    "DISCONNECT ESTABLISHED": "STAY",     # nobody ends the connection
    "DESTROY CLOSING": "IDLE",            # the client hears of it again
    "CONNECT_FAILED CONN_SENT": "STAY",   # it waits for ever
    "UP_REPLY_OK DESTROYING": "VIOLATION",
    "UP_CLOSE CLOSING": "DESTROYING",     # gone, although the client has it
}


def test_R106_R107_R109_R110_every_order_of_steps_ends_in_one_last_event():
    IWCM.holds()


def test_a_broken_cell_is_found():
    IWCM.finds(MUTANTS)


if __name__ == "__main__":
    tap.main(globals())
