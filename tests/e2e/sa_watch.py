#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""weft sa watch on a fabric with OpenSM: each trap is told in words, the subscription follows the
SM to where it goes, and is gone when the command ends."""
import json
import os
import re
import signal

import fabric_lab
import tap

FIRST, SECOND, CALM, SHAKY = "host-00001", "host-00002", "host-00003", "host-00004"
LEAF = "leaf-0001"


def command(*words):
    return [tap.weft(), "sa", words[0], "--fabric", str(LAB.socket), "--node", CALM,
            *map(str, words[1:])]


def watch(*words):
    """Starts to watch, and waits until it is subscribed."""
    out = LAB.folder / f"watch-{len(LAB.programs)}"
    program = fabric_lab.Program(command("watch", *words), env=os.environ, cwd=LAB.folder, log=out)
    LAB.programs.append(program)
    says(program, "come from the SM at LID")
    return program


def says(program, words, times=1):
    def said():
        program.must_live()
        return program.said().count(words) >= times

    fabric_lab.wait_until(said, f"it says {words!r} {times} times", hint=program.said)


def subscriptions():
    done = tap.run(command("raw", "--attr", "IIR", "--sm-key", "1", "--json"))
    tap.succeeds(done)
    return [one["inform_info"]["trap"] for one in json.loads(done.stdout)["records"]]


def link(state):
    LAB.ctl("link", f"{SHAKY}/1", state)


def test_traps_are_told_in_words_wherever_the_SM_goes():
    manager = LAB.opensm(FIRST)
    one = watch("--trap", "all")
    tap.equal(subscriptions(), [0xFFFF])
    link("down")
    says(one, f"trap 128: a link has changed state: {LEAF}, LID ")
    says(one, f"trap 65: a port is out of service: {SHAKY}, fe80::")
    before = re.search(r"the SM at LID (\d+)", one.said())[1]
    manager.end(signal.SIGKILL)
    manager = LAB.opensm(SECOND)
    says(one, "come from the SM at LID", 2)
    after = re.findall(r"the SM at LID (\d+)", one.said())[-1]
    assert after != before, one.said()
    tap.equal(subscriptions(), [0xFFFF])
    link("up")
    says(one, f"trap 64: a port is in service: {SHAKY}, fe80::")
    tap.equal(one.end(), 0, one.said())
    tap.equal(subscriptions(), [])


def test_it_ends_after_so_many_Reports_of_one_trap():
    one = watch("--trap", 128, "--count", 1, "--json")
    tap.equal(subscriptions(), [128])
    link("down")
    tap.equal(one.process.wait(timeout=fabric_lab.DEADLINE_S), 0)
    document = json.loads(one.said().splitlines()[-1])
    tap.equal((document["schema"], document["trap"], document["node"]["name"], document["type"]),
              ("weft.sa-report/1", 128, LEAF, "urgent"))
    tap.equal(subscriptions(), [])


def test_it_ends_when_its_time_has_come():
    done = tap.run(command("watch", "--trap", 131, "--seconds", 1, "--count", 1))
    tap.equal((done.returncode, done.stdout), (1, ""), "not so many came")


def test_what_it_has_not_is_said():
    for words, part in ((("nodes", "--trap", "64"), "watch has"),
                        (("watch", "--mask", "1"), "raw has"),
                        (("watch", "--trap", "many"), "--trap many"),
                        (("watch", "--count", "0"), "--count"),
                        (("raw", "--attr", "NR", "--seconds", "1"), "watch has")):
        done = tap.run(command(*words))
        tap.equal(done.returncode, 2, " ".join(words))
        tap.contains(done.stderr, part)


if __name__ == "__main__":
    with fabric_lab.weft("fat-tree:hosts=4,radix=4") as LAB:
        tap.main(globals())
