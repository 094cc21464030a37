#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A verb looks at a fabric directly, through the drop-in libibumad, and at ibsim through the
system's: it sees the same, loss or not. Which port it takes, and what it says of the others."""
import json
import os

import fabric_lab
import tap

SPEC = "fat-tree:hosts=8,radix=4"
HOST, OTHER = "host-00001", "host-00003"
RAILS = """switchguid=0x100
Switch 4 "S-0000000000000100" # "leaf" enhanced port 0 lid 1 lmc 0
[1] "H-0000000000000200"[1] # "two rails"
[2] "H-0000000000000200"[2] # "two rails"
[3] "H-0000000000000300"[1] # "one"

caguid=0x200
Ca 2 "H-0000000000000200" # "two rails"
[1](201) "S-0000000000000100"[1] # lid 2 lmc 0 "leaf" lid 1
[2](202) "S-0000000000000100"[2] # lid 3 lmc 0 "leaf" lid 1

caguid=0x300
Ca 1 "H-0000000000000300" # "one"
[1](301) "S-0000000000000100"[3] # lid 4 lmc 0 "leaf" lid 1
"""
LAB = None
MATRIX = ["partitions", "matrix"]


def direct(*options, lab=None):
    """Through the fabric's own door, from HOST."""
    return tap.run([tap.weft(), *MATRIX, "--fabric", str((lab or LAB).socket), "--node", HOST,
                    *options])


def as_program(*options, lab=None, node=HOST):
    """As any program that uses libibumad."""
    return (lab or LAB).done(node, tap.weft(), *MATRIX, *options)


def documents(*options, code=0):
    """What both say."""
    done = [direct("--json", *options), as_program("--ca", "weft0", "--json", *options)]
    tap.equal([one.returncode for one in done], [code, code], done[0].stderr + done[1].stderr)
    return [json.loads(one.stdout) for one in done]


def test_the_drop_in_shows_what_the_direct_door_shows():
    ways = documents()
    tap.equal(ways[1], ways[0])
    tap.equal(len(ways[0]["ports"]), 14)
    tap.equal(direct().stdout, as_program("--ca", "weft0", "--port", "1").stdout)


def test_where_weft_runs_a_verb_it_needs_no_options():
    done = as_program()
    tap.succeeds(done)
    tap.equal(done.stdout, direct().stdout)


def test_20_percent_loss_everywhere_hides_nothing_on_either_way():
    want = documents()[0]
    LAB.ctl("loss", "20%", "on", "all")
    try:
        ways = documents()
    finally:
        LAB.ctl("clear")
    for way in ways:
        tap.equal([way["partitions"], way["unanswered"], way["tables_complete"]],
                  [want["partitions"], [], want["tables"]])


def test_who_does_not_answer_is_named_on_either_way():
    LAB.ctl("loss", "100%", "on", "agent", OTHER)
    try:
        ways = documents("--timeout", "200ms", code=1)
    finally:
        LAB.ctl("clear")
    tap.equal(ways[1]["unanswered"], ways[0]["unanswered"])
    tap.equal(ways[0]["unanswered"], [{"kind": "behind", "port": "leaf-0002/1"}])


def test_ibsim_shows_the_same_topology_and_tables():
    want = documents()[0]
    with fabric_lab.ibsim(fabric_lab.topology(SPEC)) as lab:
        done = as_program("--json", "--ca", "ibsim0", lab=lab)
        tap.succeeds(done)
        found = json.loads(done.stdout)
        tap.contains(done.stderr, "ibsim0 port 1 is not active: no subnet manager has been there")
        lab.opensm(HOST)
        after = as_program("--json", lab=lab, node=OTHER)
        tap.succeeds(after)
    order = {port["name"]: port for port in found["ports"]}
    for port in want["ports"]:
        tap.equal({**order[port["name"]], "lid": 0}, {**port, "lid": 0})
    for one in (found, json.loads(after.stdout)):
        tap.equal([one["tables"], one["tables_complete"], one["unanswered"], one["ports_down"]],
                  [want["tables"], want["tables"], [], 0])


def test_each_verb_works_through_ibsim_as_far_as_ibsim_goes():
    with fabric_lab.ibsim(fabric_lab.topology(SPEC)) as lab:
        lab.opensm(HOST)

        def weft(*words, code=0):
            done = lab.done(OTHER, tap.weft(), *words)
            tap.equal(done.returncode, code, done.stderr)
            return done

        tap.equal(weft("topology", "diff", "net", "--ca", "ibsim0").stdout, "")
        # Every link could be faster than the file says: that is what is wrong there.
        counters = json.loads(weft("counters", "--all", "--json", code=1).stdout)
        tap.equal([counters["ports_read"], counters["unanswered"]], [38, []])
        page = weft("exporter", "--once", "--ca", "ibsim0").stdout.splitlines()
        up = [line.split()[-1] for line in page if line.startswith("weft_target_up{")]
        tap.equal(up, ["1"] * 14)
        tap.contains(weft("sa", "groups").stdout, " 0xc000 ")
        tap.equal(weft("sa", "services").stdout, "")
        lid = str(counters["ports"][0]["lid"])
        for method in ([], ["--method", "get"]):
            record = weft("sa", "raw", "--attr", "NodeRecord", "--field", f"lid={lid}", *method)
            tap.contains(record.stdout, f"lid: {lid}\n")
        path = weft("sa", "path", HOST, f"0x{int(counters['ports'][0]['node_guid'], 16):x}")
        tap.contains(path.stdout, f"{HOST} to {counters['ports'][0]['node']}\n")
        tap.contains(weft("sa", "nodes", code=3).stderr,
                     "NodeRecord: the answer has more than one MAD, and ibsim carries one\n")


def test_no_window_is_too_large_for_ibsim():
    """Its library stops for good where more is on the way than its sockets hold."""
    with fabric_lab.ibsim(fabric_lab.topology("fat-tree:hosts=162,radix=18")) as lab:
        small, large = (lab.run(HOST, tap.weft(), "discover", "-l", "--window", window)
                        for window in ("2", "1024"))
    tap.equal(sorted(large.splitlines()), sorted(small.splitlines()))


def test_an_answer_in_many_segments_is_the_same_on_either_way():
    with fabric_lab.weft("fat-tree:hosts=54,radix=6") as lab:
        lab.opensm(HOST)
        program = os.environ["MAD_TABLE"]
        done = [tap.run([program, str(lab.socket), OTHER]), lab.done(OTHER, program)]
        for one in done:
            tap.succeeds(one)
            tap.contains(one.stdout, "\n99 records, status 0x0000\n")
        lines = [sorted(one.stdout.splitlines()) for one in done]
        tap.equal(lines[1], lines[0])
        lab.ctl("loss", "5%", "on", "all")
        lossy = lab.done(OTHER, program)
        tap.succeeds(lossy)
        tap.equal(sorted(lossy.stdout.splitlines()), lines[0])


def test_names_and_ports_that_are_not_there():
    def fails(done, code, words):
        tap.equal(done.returncode, code, done.stderr)
        tap.contains(done.stderr, words)

    fails(as_program("--ca", "weft1"), 3, 'no adapter "weft1"; did you mean "weft0"? There are:\n'
                                          "weft: weft0 port 1 is active\n")
    fails(as_program("--ca", "weft0", "--port", "2"), 3, 'no port 2 of "weft0"; there are:\n')
    fails(direct("--ca", "weft0"), 2, "which is meant?")
    fails(direct("--port", "0"), 2, "--port")
    fails(as_program("--ca", ""), 2, "wants a name")
    fails(tap.run([tap.weft(), "partitions", "lint", "--port", "1"]), 2,
          "lint has no --ca, --port, --fabric and --node; matrix has")
    # Whatever adapters the machine may have.
    fails(tap.run([tap.weft(), *MATRIX, "--ca", "no-such-adapter"]), 3, "adapter")


def test_a_socket_that_was_left_behind_is_told_with_the_way_to_adapters():
    with tap.scratch() as folder:
        left = os.path.join(folder, "weft-fabric.sock")
        with open(left, "w", encoding="utf-8"):
            pass
        env = {**os.environ, "XDG_RUNTIME_DIR": folder, "WEFT_FABRIC": "", "WEFT_NODE": ""}
        done = tap.run([tap.weft(), *MATRIX], env=env)
        tap.equal(done.returncode, 3)
        tap.contains(done.stderr, left)
        tap.contains(done.stderr, "weft: try --ca NAME, to look from an adapter of this machine\n")
        done = tap.run([tap.weft(), *MATRIX, "--ca", "no-such-adapter"], env=env)
        assert left not in done.stderr, done.stderr


def test_ports_that_are_down_are_passed_over_with_a_word():
    with tap.scratch() as folder:
        net = os.path.join(folder, "net")
        with open(net, "w", encoding="utf-8") as file:
            file.write(RAILS)
        with fabric_lab.weft(net, "--up") as lab:
            lab.ctl("link", "0x200/1", "down")
            done = as_program("--ca", "weft0", lab=lab, node="two rails")
            tap.succeeds(done)
            tap.equal(done.stderr, "weft: weft0 port 1 is passed over: it is down\n")
            tap.contains(done.stdout, "2 hosts, 1 switch")
            named = as_program("--ca", "weft0", "--port", "2", lab=lab, node="two rails")
            tap.equal([named.returncode, named.stderr], [0, ""])
            for options in (["--port", "1"], []):
                if not options:
                    lab.ctl("link", "0x200/2", "down")
                done = as_program("--ca", "weft0", *options, lab=lab, node="two rails")
                tap.equal(done.returncode, 3)
                tap.contains(done.stderr, "no InfiniBand port of this machine can be used:\n"
                                          "weft: weft0 port 1 is down\n")
                tap.contains(done.stderr, "weft: try ibstat")


if __name__ == "__main__":
    with fabric_lab.weft(SPEC, "--up") as LAB:
        tap.main(globals())
