#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""weft discover beside ibnetdiscover, on the same fabric in the same run.

usage: bench_discover.py [--hosts N,N,...] [--ibsim N] [--mads N]
  --hosts  fat trees of the comparison through the drop-in (default 648,1944,11664)
  --ibsim  hosts of the fabric of ibsim on which requests a second are compared with what ibsim can
           do at most (default 648)
  --mads   MADs of each measurement of that (default 50000)

Nothing passes or fails by the clock: these are figures for people. Times are the shortest of three
runs, of the peer on the largest fabric of one.
"""
import argparse
import json
import os
import pathlib
import re
import sys
import tempfile
import time

import fabric_lab
import fabric_net
import tap

HOST = "host-00001"
WINDOWS = (1, 8, 64)
RUNS = 3
ONE_RUN_FROM_HOSTS = 10000
LIMIT_S = 900
SKIPPED = 77
WIDTHS = (7, 10, 14, 8, 10, 10, 10)


def row(*cells):
    print("  ".join(f"{cell:>{width}}" for cell, width in zip(cells, WIDTHS)), flush=True)


def best(runs, call):
    """The shortest time of some calls, and what the last one gave."""
    times = []
    for _ in range(runs):
        began = time.monotonic()
        value = call()
        times.append(time.monotonic() - began)
    return min(times), value


def discovered(command):
    done = tap.run(command, timeout=LIMIT_S)
    tap.succeeds(done)
    return done.stdout


def lines(text):
    return sorted(line for line in text.splitlines() if "generated on" not in line)


def beside_ibnetdiscover(sizes):
    print("Discovery through the same daemon: seconds")
    row("hosts", "weft", "ibnetdiscover", "ratio", "requests", "req/s", "since")
    for hosts in sizes:
        with fabric_lab.weft(f"fat-tree:hosts={hosts},radix=36", "--up") as lab, \
                tempfile.TemporaryDirectory() as folder:
            command = [tap.weft(), "discover", "--fabric", str(lab.socket), "--node", HOST]
            saved = str(pathlib.Path(folder, "saved"))
            ours, text = best(RUNS, lambda: discovered(command))
            theirs, peer = best(1 if hosts >= ONE_RUN_FROM_HOSTS else RUNS,
                                lambda: lab.run(HOST, "ibnetdiscover", timeout=LIMIT_S))
            requests = json.loads(discovered([*command, "--json"]))["requests"]
            pathlib.Path(saved).write_text(text, encoding="utf-8")
            since, _ = best(RUNS, lambda: discovered([*command, "--since", saved]))
            row(hosts, f"{ours:.3f}", f"{theirs:.3f}", f"{theirs / ours:.1f}", requests,
                f"{requests / ours:.0f}", f"{since:.3f}")
            if lines(text) != lines(peer):
                print(f"the two texts differ at {hosts} hosts")
                return 1
    return 0


def beside_ibsim(hosts, mads):
    """Requests a second of a sweep on ibsim, and the most that ibsim answers anybody."""
    text = fabric_lab.topology(f"fat-tree:hosts={hosts},radix=36")
    rates = {}
    with fabric_lab.ibsim(text) as lab:
        nodes = fabric_net.Net(text).hosts()
        manager = lab.opensm(nodes[0].id, timeout=LIMIT_S)
        found = fabric_net.Net(lab.run(HOST, "ibnetdiscover", timeout=LIMIT_S))
        manager.end()
        target = str(found.nodes[nodes[-1].id].lid())
        for window in WINDOWS:
            said = lab.run(nodes[1].id, os.environ["UMADBENCH"], target, str(window), str(mads),
                           timeout=LIMIT_S)
            rates[window] = mads / float(re.search(r"([0-9.]+) s,", said)[1])
        ours, said = best(RUNS, lambda: lab.run(HOST, tap.weft(), "discover", "--json",
                                                timeout=LIMIT_S))
        theirs, _ = best(RUNS, lambda: lab.run(HOST, "ibnetdiscover", timeout=LIMIT_S))
    requests = json.loads(said)["requests"]
    most = max(rates.values())
    print(f"\nOn ibsim, {hosts} hosts: weft discover {ours:.3f} s, {requests} requests, "
          f"{requests / ours:.0f}/s; ibnetdiscover {theirs:.3f} s\n"
          f"ibsim at most {most:.0f}/s (window " +
          ", ".join(f"{window}: {rate:.0f}" for window, rate in rates.items()) +
          f"); ratio {requests / ours / most:.2f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hosts", default=os.environ.get("BENCH_HOSTS", "648,1944,11664"))
    parser.add_argument("--ibsim", type=int, default=648)
    parser.add_argument("--mads", type=int, default=50000)
    chosen = parser.parse_args()
    for program in ("opensm", "ibsim", "ibnetdiscover"):
        done = tap.run(["sh", "-c", f"command -v {program}"], env={"PATH": fabric_lab.PATH})
        if done.returncode != 0:
            print(f"skipped: {program} is not installed (tools/setup build test installs it)")
            return SKIPPED
    failed = beside_ibnetdiscover([int(hosts) for hosts in chosen.hosts.split(",") if hosts])
    beside_ibsim(chosen.ibsim, chosen.mads)
    return failed


if __name__ == "__main__":
    sys.exit(main())
