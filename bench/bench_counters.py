#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Seconds of `weft counters --all` beside those of ibqueryerrors, on the same fabrics of weft.

usage: bench_counters.py [--hosts N,N,...] [--delay TIME]
  --hosts  fat trees (default 648,1944,11664)
  --delay  what each hop takes, such as 10us (default: nothing)

Both look from the first host; ibqueryerrors with --skip-sl, so that it asks no SA, through weft's
drop-in libibumad. Of a switch with nothing wrong it reads the sum alone, as `weft counters` does;
--all reads every port. Nothing passes or fails here: times are the
shortest of three runs.
"""
import argparse
import os

import fabric_lab
import stopwatch
import tap

HOST = "host-00001"
RUNS = 3
WIDTHS = (7, 7, 9, 10, 14, 11, 11)


def row(*cells):
    print("  ".join(f"{cell:>{width}}" for cell, width in zip(cells, WIDTHS)), flush=True)


def measure(hosts, delay):
    with fabric_lab.weft(f"fat-tree:hosts={hosts},radix=36", "--up") as lab:
        if delay:
            lab.ctl("delay", delay, "on", "all")
        # One error each, so that both have something to tell of.
        lab.ctl("counter", "leaf-0001/1", "symbol_errors", "set", "7")
        ours = [tap.weft(), "counters", "--fabric", str(lab.socket), "--node", HOST]
        wrong, _ = stopwatch.best(ours, RUNS)
        everything, text = stopwatch.best([*ours, "--all"], RUNS)
        line, environment = lab.on(HOST, ["ibqueryerrors", "--skip-sl"])
        peer, peer_text = stopwatch.best(line, RUNS, env=environment, cwd=lab.folder)
        assert "SymbolErrorCounter 7" in text and "SymbolErrorCounter == 7" in peer_text
        ports = next(line for line in text.splitlines() if " ports: " in line).split()[0]
        row(hosts, ports, f"{wrong:.3f}", f"{everything:.3f}", f"{peer:.3f}",
            f"{peer / wrong:.1f}", f"{peer / everything:.1f}")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--hosts", default=os.environ.get("BENCH_HOSTS", "648,1944,11664"))
    options.add_argument("--delay")
    asked = options.parse_args()
    row("hosts", "ports", "counters", "--all", "ibqueryerrors", "to counters", "to --all")
    for hosts in asked.hosts.split(","):
        measure(int(hosts), asked.delay)


if __name__ == "__main__":
    main()
