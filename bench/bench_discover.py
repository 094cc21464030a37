#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""weft discover beside ibnetdiscover, on the same fabric in the same run.

usage: bench_discover.py [--hosts N,N,...] [--ibsim N,N,...] [--delay TIME]
  --hosts  fat trees of the comparison through the drop-in (default 648,1944,11664)
  --ibsim  fat trees of the comparison on ibsim (default 648,1944)
  --delay  what each hop of the former takes, such as 10us (default: nothing)

Nothing passes or fails by the clock: these are figures for people. Through the drop-in times are
the shortest of three runs. On ibsim all take turns, in both orders, and the figures are medians of
five; requests are those that ibsim has answered.
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import sys
import tempfile
import time

import fabric_lab
import fabric_net
import stopwatch
import tap

HOST = "host-00001"
# What ibnetdiscover has under way on ibsim: its default, and what makes it fastest.
PEER_WINDOWS = (2, 16, 64)
LOOP_WINDOWS = (16, 64)
LOOP_MADS = 20000
RUNS = 3
IBSIM_RUNS = 5
LIMIT_S = 900
SKIPPED = 77
WIDTHS = (7, 10, 14, 8, 10, 10, 10)


def row(*cells):
    print("  ".join(f"{cell:>{width}}" for cell, width in zip(cells, WIDTHS)), flush=True)


def lines(text):
    return sorted(line for line in text.splitlines() if "generated on" not in line)


def beside_ibnetdiscover(sizes, delay):
    print("Discovery through the same daemon: seconds")
    row("hosts", "weft", "ibnetdiscover", "ratio", "requests", "req/s", "since")
    for hosts in sizes:
        with fabric_lab.weft(f"fat-tree:hosts={hosts},radix=36", "--up") as lab, \
                tempfile.TemporaryDirectory() as folder:
            if delay:
                lab.ctl("delay", delay, "on", "all")
            command = [tap.weft(), "discover", "--fabric", str(lab.socket), "--node", HOST]
            saved = str(pathlib.Path(folder, "saved"))
            ours, text = stopwatch.best(command, RUNS)
            line, environment = lab.on(HOST, ["ibnetdiscover"])
            theirs, peer = stopwatch.best(line, RUNS, env=environment, cwd=lab.folder)
            requests = json.loads(stopwatch.best([*command, "--json"], 1)[1])["requests"]
            pathlib.Path(saved).write_text(text, encoding="utf-8")
            since, _ = stopwatch.best([*command, "--since", saved], RUNS)
            row(hosts, f"{ours:.3f}", f"{theirs:.3f}", f"{theirs / ours:.1f}", requests,
                f"{requests / ours:.0f}", f"{since:.3f}")
            if lines(text) != lines(peer):
                print(f"the two texts differ at {hosts} hosts")
                return 1
    return 0


def answered(lab):
    """How many packets ibsim has sent so far."""
    return int(re.search(r"syscw: (\d+)", fabric_lab.read(f"/proc/{lab.daemon.pid}/io"))[1])


def one_run(lab, command):
    """Seconds and requests of a program."""
    before = answered(lab)
    began = time.monotonic()
    lab.run(HOST, *command, timeout=LIMIT_S)
    return time.monotonic() - began, answered(lab) - before


def beside_ibsim(sizes):
    """Requests a second on ibsim: of weft, of ibnetdiscover with its default of two at a time and
    with what is its best, and of a program that does nothing but send and receive."""
    print(f"\nOn one ibsim: weft discover, ibnetdiscover -o N, and a bare loop with N under way; "
          f"medians of {IBSIM_RUNS}, the last two columns beside weft's")
    row("hosts", "who", "seconds", "requests", "req/s", "time", "rate")
    for hosts in sizes:
        text = fabric_lab.topology(f"fat-tree:hosts={hosts},radix=36")
        with fabric_lab.ibsim(text) as lab:
            ends = fabric_net.Net(text).hosts()
            manager = lab.opensm(ends[0].id, timeout=LIMIT_S)
            manager.end()
            net = fabric_net.Net(lab.run(HOST, "ibnetdiscover", timeout=LIMIT_S))
            target = str(net.nodes[ends[-1].id].lid())
            commands = {
                "weft": [tap.weft(), "discover"],
                **{f"-o {window}": ["ibnetdiscover", "-o", str(window)] for window in PEER_WINDOWS},
                **{f"loop {window}": [os.environ["UMADBENCH"], target, str(window), str(LOOP_MADS)]
                   for window in LOOP_WINDOWS}}
            runs = {name: [] for name in commands}
            for turn in range(IBSIM_RUNS):
                for name in list(commands)[::-1 if turn % 2 else 1]:
                    runs[name].append(one_run(lab, commands[name]))
        seconds = {name: statistics.median(took for took, _ in all_of)
                   for name, all_of in runs.items()}
        rates = {name: statistics.median(count / took for took, count in all_of)
                 for name, all_of in runs.items()}
        for name, all_of in runs.items():
            row(hosts, name, f"{seconds[name]:.3f}", all_of[-1][1], f"{rates[name]:.0f}",
                f"{seconds[name] / seconds['weft']:.2f}", f"{rates[name] / rates['weft']:.2f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hosts", default=os.environ.get("BENCH_HOSTS", "648,1944,11664"))
    parser.add_argument("--delay")
    parser.add_argument("--ibsim", default=os.environ.get("BENCH_IBSIM_HOSTS", "648,1944"))
    chosen = parser.parse_args()
    for program in ("opensm", "ibsim", "ibnetdiscover"):
        done = tap.run(["sh", "-c", f"command -v {program}"], env={"PATH": fabric_lab.PATH})
        if done.returncode != 0:
            print(f"skipped: {program} is not installed (tools/setup build test installs it)")
            return SKIPPED
    failed = beside_ibnetdiscover([int(hosts) for hosts in chosen.hosts.split(",") if hosts],
                                  chosen.delay)
    beside_ibsim([int(hosts) for hosts in chosen.ibsim.split(",") if hosts])
    return failed


if __name__ == "__main__":
    sys.exit(main())
