#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""OpenSM brings up larger fat trees; `make bench` does it with 5,832 and 11,664 hosts."""
import fabric_lab
import fabric_opensm
import tap


def test_648_hosts():
    fabric_opensm.comes_up(fabric_lab.topology("fat-tree:hosts=648,radix=36"))


def test_1944_hosts():
    fabric_opensm.comes_up(fabric_lab.topology("fat-tree:hosts=1944,radix=36"))


def test_1944_hosts_by_other_routing_engines():
    text = fabric_lab.topology("fat-tree:hosts=1944,radix=36")
    for engine in ("updn", "ftree"):
        fabric_opensm.comes_up(text, "-R", engine, "-n", "32")


if __name__ == "__main__":
    tap.main(globals())
