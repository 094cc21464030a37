#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Figures of weft's fabric beside ibsim's, measured in one run with the same unmodified programs.

usage: bench_peers.py [--hosts N,N,...] [--mads N]
  --hosts  fat trees on which OpenSM is timed (default 1944,5832,11664)
  --mads   MADs of each raw measurement (default 200000)

Nothing passes or fails here: these are figures for people. Times are of one run each.
"""
import argparse
import os
import re
import sys
import time

import fabric_lab
import fabric_net
import tap

HZ = os.sysconf("SC_CLK_TCK")
WINDOWS = (1, 8, 64)
RAW_HOSTS = 1944
OPENSM_LIMIT_S = 900
SKIPPED = 77


def cpu(pid):
    """CPU seconds of a process: (user, system)."""
    fields = fabric_lab.read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return int(fields[11]) / HZ, int(fields[12]) / HZ


def rss(pid):
    """Resident bytes of a process."""
    found = re.search(r"^VmRSS:\s+(\d+) kB", fabric_lab.read(f"/proc/{pid}/status"), flags=re.M)
    return int(found[1]) * 1024 if found else 0


class Usage:
    """What a process uses between two looks at it."""

    def __init__(self, pid):
        self.pid = pid
        self.start = cpu(pid)

    def seconds(self):
        now = cpu(self.pid)
        return sum(now) - sum(self.start)


def topology_file(hosts, folder):
    text = fabric_lab.topology(f"fat-tree:hosts={hosts},radix=36")
    path = os.path.join(folder, f"net-{hosts}")
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    return path, text


def labs(path, text):
    """(name, lab) of each peer, one after the other, with the seconds that loading took."""
    for name, make in (("weft", lambda: fabric_lab.weft(path)),
                       ("ibsim", lambda: fabric_lab.ibsim(text))):
        began = time.monotonic()
        with make() as lab:
            yield name, lab, time.monotonic() - began


def row(*cells):
    print("  ".join(f"{cell:>{width}}" for cell, width in zip(cells, WIDTHS)), flush=True)


WIDTHS = (9, 7, 10, 10, 10, 10, 10, 10)


def raw_rates(folder, mads):
    """MADs a second of one client, by window, on an idle fabric."""
    path, text = topology_file(RAW_HOSTS, folder)
    net = fabric_net.Net(text)
    hosts = net.hosts()
    rates = {}
    print(f"\nSMP Get(NodeInfo) from one client, LID routed, {RAW_HOSTS} hosts, {mads} MADs")
    row("window", "peer", "MAD/s", "us/MAD", "daemon us", "client us", "ratio")
    for name, lab, _ in labs(path, text):
        manager = lab.opensm(hosts[0].id, timeout=OPENSM_LIMIT_S)
        found = fabric_net.Net(lab.run(hosts[1].id, "ibnetdiscover"))
        manager.end()
        target = str(found.nodes[hosts[-1].id].lid())
        for window in WINDOWS:
            daemon = Usage(lab.daemon.pid)
            before = os.times()
            said = lab.run(hosts[1].id, os.environ["UMADBENCH"], target, str(window), str(mads),
                           timeout=OPENSM_LIMIT_S)
            after = os.times()
            seconds, bad = re.search(r"([0-9.]+) s, (\d+) bad", said).groups()
            client = (after.children_user + after.children_system - before.children_user -
                      before.children_system)
            rates[name, window] = mads / float(seconds)
            ratio = f"{rates[name, window] / rates['weft', window]:.3f}" if name != "weft" else ""
            row(window, name, f"{rates[name, window]:.0f}", f"{float(seconds) / mads * 1e6:.2f}",
                f"{daemon.seconds() / mads * 1e6:.2f}", f"{client / mads * 1e6:.2f}",
                ratio and f"1/{1 / float(ratio):.1f}", f"{bad} bad" if bad != "0" else "")


def bring_ups(folder, sizes):
    """Loading, and OpenSM with default options to SUBNET UP."""
    print("\nOpenSM, default options, from its start to SUBNET UP")
    row("hosts", "peer", "load s", "up s", "opensm CPU", "daemon CPU", "B/host", "ratio")
    for hosts in sizes:
        path, text = topology_file(hosts, folder)
        took = {}
        for name, lab, loaded in labs(path, text):
            daemon = Usage(lab.daemon.pid)
            began = time.monotonic()
            manager = lab.opensm(fabric_net.Net(text).hosts()[0].id, up=False)
            # Looked at more often than tests need it.
            while "SUBNET UP" not in fabric_lab.tail(manager.text(), 4):
                manager.must_live()
                if time.monotonic() - began > OPENSM_LIMIT_S:
                    break
                time.sleep(0.02)
            took[name] = time.monotonic() - began
            row(hosts, name, f"{loaded:.2f}", f"{took[name]:.2f}",
                f"{sum(cpu(manager.pid)):.2f}", f"{daemon.seconds():.2f}",
                f"{rss(lab.daemon.pid) / hosts:.0f}",
                f"{took[name] / took['weft']:.2f}" if name != "weft" else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", default=os.environ.get("BENCH_HOSTS", "1944,5832,11664"))
    parser.add_argument("--mads", type=int, default=200000)
    chosen = parser.parse_args()
    for program in ("opensm", "ibsim", "ibnetdiscover"):
        done = tap.run(["sh", "-c", f"command -v {program}"], env={"PATH": fabric_lab.PATH})
        if done.returncode != 0:
            print(f"skipped: {program} is not installed (tools/setup build test installs it)")
            return SKIPPED
    with tap.scratch() as folder:
        raw_rates(folder, chosen.mads)
        bring_ups(folder, [int(hosts) for hosts in chosen.hosts.split(",") if hosts])
    return 0


if __name__ == "__main__":
    sys.exit(main())
