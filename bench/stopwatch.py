# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""How long programs take by themselves: what they print goes to a file, and is read afterwards."""
import tempfile
import time

import tap

LIMIT_S = 1800


def best(command, runs, **options):
    """The shortest time of some runs of a program in seconds, and what the last one printed."""
    times = []
    for _ in range(runs):
        with tempfile.TemporaryFile("w+", encoding="utf-8") as out:
            began = time.monotonic()
            done = tap.run(command, timeout=LIMIT_S, stdout=out, **options)
            times.append(time.monotonic() - began)
            # 1: some of it was wrong or is missing, and all of it is there.
            assert done.returncode in (0, 1), f"{command}: {done.returncode}\n{done.stderr}"
            out.seek(0)
            text = out.read()
    return min(times), text
