# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The last word on all connections before: what they were on the wire, and the guest's kernel."""
import tap


def test_the_guests_kernel_has_nothing_to_complain_about(lab):
    tap.equal(lab.complaints(), [])
    tap.contains(lab.guest.run("rdma link"), "siw0/1 state ACTIVE", "rdma link")
