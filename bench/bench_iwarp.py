#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Figures of iWARP beside plain TCP on the same loop, measured in one run on the loopback, with the
budget beside each.

usage: bench_iwarp.py [--seconds S] [--connections N] [--idle N]
  --seconds      of each measurement (default 0.5)
  --connections  set up and ended one by one (default 2000)
  --idle         held at a time, between two processes (default 10000)

Nothing passes or fails here: these are figures for people.
"""
import argparse
import json
import os
import resource
import subprocess
import sys

ROUNDS = 3
SMALL, LARGE = 64, 1 << 20
# What a process has open beside its connections.
OTHER_FILES = 64


def perf(*words):
    done = subprocess.run([os.environ["WEFT"], "iwarp", "perf", "--loopback", "--json",
                           *map(str, words)], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def figure(found, size, operation):
    return next(f for f in found["figures"] if (f["bytes"], f["operation"]) == (size, operation))


def row(what, value, beside, ratio, budget):
    print(f"{what:<44}{value:>14}{beside:>14}{ratio:>8}  {budget}", flush=True)


def latency(crc, seconds):
    """The median of some rounds: neighbours on the machine disturb one."""
    rounds = sorted((perf("--tcp", "--crc", crc, "--sizes", SMALL, "--seconds", seconds)
                     for _ in range(ROUNDS)),
                    key=lambda found: figure(found, SMALL, "send")["time_to_tcp"])
    found = rounds[ROUNDS // 2]
    send, tcp = figure(found, SMALL, "send"), figure(found, SMALL, "tcp")
    row(f"Send of {SMALL} bytes one way, CRC {crc}", f"{send['p50_ns'] / 1e3:.2f} us",
        f"{tcp['p50_ns'] / 1e3:.2f} us", f"{send['time_to_tcp']:.2f}",
        "at most 1.3" if crc == "off" else "")


def throughput(crc, budget, seconds):
    rounds = sorted((perf("--tcp", "--crc", crc, "--sizes", LARGE, "--seconds", seconds)
                     for _ in range(ROUNDS)),
                    key=lambda found: figure(found, LARGE, "write")["throughput_to_tcp"])
    found = rounds[ROUNDS // 2]
    tcp = figure(found, LARGE, "tcp")
    for operation in ("write", "send", "read"):
        one = figure(found, LARGE, operation)
        row(f"{operation} of 1 MiB, CRC {crc}", f"{one['bytes_per_s'] / 1e6:.0f} MB/s",
            f"{tcp['bytes_per_s'] / 1e6:.0f} MB/s", f"{one['throughput_to_tcp']:.2f}",
            budget if operation == "write" else "")


def rate(count):
    found = perf("--tcp", "--sizes", SMALL, "--seconds", 0.01, "--connections", count)
    rates = found["connections"]
    row("connections set up and ended, one by one", f"{rates['per_s']:.0f} /s",
        f"{rates['tcp_per_s']:.0f} /s", f"{rates['per_s'] / rates['tcp_per_s']:.2f}", "")


def idle(count):
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[1] - OTHER_FILES
    if count > allowed:
        print(f"{count} idle connections: ulimit -Hn allows {allowed}; measured with these")
        count = allowed
    found = perf("--sizes", SMALL, "--seconds", 0.01, "--idle", count)["idle"]
    for side in ("client", "server"):
        one = found[side]
        row(f"{found['count']} idle connections, memory of the {side}",
            f"{one['rss_bytes'] / 1e6:.1f} MB", "", "",
            f"{(one['rss_bytes'] - one['rss_before_bytes']) / found['count']:.0f} bytes a "
            f"connection; provider took {one['provider_bytes'] / 1e6:.1f} MB")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--connections", type=int, default=2000)
    parser.add_argument("--idle", type=int, default=10000)
    chosen = parser.parse_args()
    print(f"Each of latency and throughput: the median of {ROUNDS} runs by its ratio.")
    row("", "iWARP", "plain TCP", "ratio", "budget")
    for crc in ("off", "on"):
        latency(crc, chosen.seconds)
    throughput("off", "at least 0.8", chosen.seconds)
    throughput("on", "at least 0.6", chosen.seconds)
    rate(chosen.connections)
    idle(chosen.idle)
    return 0


if __name__ == "__main__":
    sys.exit(main())
