#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""weft partitions matrix on a fabric that OpenSM has partitioned: groups, pairs, silence, loss."""
import contextlib
import json
import os

import fabric_lab
import tap

SPEC = "fat-tree:hosts=8,radix=4"
HOSTS = [f"host-{number:05}" for number in range(1, 9)]
SWITCHES = [f"leaf-{number:04}" for number in range(1, 5)] + ["spine-0001", "spine-0002"]
# Port GUIDs, by the number of the host.
GUID = {number: 0x0200000000100000 + 2 * number - 1 for number in range(1, 9)}
NODE_GUID_3 = "0x0200000000100004"
CONF = f"""Default=0x7fff: ALL=limited, SELF=full;
Storage=0x0010: {GUID[2]:#018x}=full, {GUID[3]:#018x}, {GUID[4]:#018x};
Peers=0x0011: {GUID[5]:#018x}=full, {GUID[6]:#018x}=full;
Mute=0x0012: {GUID[7]:#018x}, {GUID[8]:#018x};
"""
PARTITIONS = [
    {"pkey": "0x0010", "both": [], "full": [HOSTS[1]], "limited": HOSTS[2:4]},
    {"pkey": "0x0011", "both": [], "full": HOSTS[4:6], "limited": []},
    {"pkey": "0x0012", "both": [], "full": [], "limited": HOSTS[6:8]},
    {"pkey": "0x7fff", "both": [], "full": [HOSTS[0]],
     "limited": HOSTS[1:] + SWITCHES},
]
LAB = None


def matrix(*options, code=0, env=None):
    """What the command prints; it must end with a code."""
    done = tap.run([tap.weft(), "partitions", "matrix", "--fabric", str(LAB.socket), *options],
                   env={**os.environ, **(env or {})})
    assert done.returncode == code, (f"exit code {done.returncode}, not {code}:\n{done.stdout}\n"
                                     f"{done.stderr}")
    return done.stderr if code in (2, 3) else done.stdout


def document(*options, code=0):
    return json.loads(matrix("--json", *options, code=code))


@contextlib.contextmanager
def said(*command):
    """Says something to the fabric for some time."""
    LAB.ctl(*command)
    try:
        yield
    finally:
        LAB.ctl("clear")


def keys(pair):
    return {key["pkey"]: key for key in pair["keys"]}


def test_groups_are_those_of_partitions_conf():
    found = document(code=1)
    tap.equal(found["schema"], "weft.partitions.matrix/1")
    tap.equal(found["partitions"], PARTITIONS)
    tap.equal(found["problems"], [{"pkey": "0x0012", "kind": "limited-only",
                                   "text": "limited members only: nobody talks to anybody"}])
    tap.equal(found["unanswered"], [])
    tap.equal(found["conflicts"], 0)
    # Hosts, switches' port 0, and the eight ports at which OpenSM has the leaves enforce.
    tap.equal([found["tables"], found["tables_complete"]], [22, 22])
    tap.equal({port["port"].split("/")[0] for port in found["enforcing"]}, set(SWITCHES[:4]))
    by_name = {port["name"]: port for port in found["ports"]}
    tap.equal(set(by_name), set(HOSTS + SWITCHES))
    tap.equal(by_name[HOSTS[2]]["port_guid"], f"{GUID[3]:#018x}")
    tap.equal(by_name[HOSTS[2]]["type"], "ca")
    tap.equal(by_name[SWITCHES[0]]["port"], 0)
    assert by_name[HOSTS[2]]["lid"] > 0


def test_groups_for_people():
    text = matrix(code=1)
    for line in (
            "0x0010  3 members: the full one to all, the limited ones to the full one only",
            "        full 1: host-00002",
            "        limited 2: host-[00003-00004]",
            "0x0011  2 members: everybody talks to everybody",
            "0x0012  2 limited members only: nobody talks to anybody",
            "        limited 13: host-[00002-00008], leaf-[0001-0004], spine-[0001-0002]",
            "8 hosts, 6 switches, 4 partitions; 22 of 22 P_Key tables read; "
            "8 switch ports enforce"):
        assert line in text.splitlines(), f"no line {line!r} in\n{text}"


def test_a_pair_that_talks():
    pair = document("--from", HOSTS[1], "--to", HOSTS[2])["pair"]
    tap.equal([pair["talk"], pair["complete"]], [True, True])
    found = keys(pair)
    tap.equal(set(found), {"0x0010", "0x7fff"})
    tap.equal(found["0x0010"],
              {"pkey": "0x0010", "from": "full", "to": "limited", "matches": True, "forth": True,
               "back": True, "switches": dict.fromkeys(["from_in", "to_out", "to_in", "from_out"],
                                                       "passes")})
    tap.equal([found["0x7fff"]["matches"], found["0x7fff"]["switches"]], [False, None])
    text = matrix("--from", HOSTS[1], "--to", f"{GUID[3]:#x}")
    tap.contains(text, "host-00002 and host-00003 can talk: on 1 of 2 keys in common\n"
                       "0x0010  full - limited: yes\n"
                       "0x7fff  limited - limited: no: two limited members do not talk\n")
    tap.contains(text, "where host-00003 is connected, enforces partitions in both directions")


def test_pairs_that_do_not():
    text = matrix("--from", HOSTS[2], "--to", HOSTS[3] + "/1")
    tap.contains(text, "host-00003 and host-00004 cannot talk: the 2 keys in common do not serve\n")
    text = matrix("--from", HOSTS[1], "--to", HOSTS[5])
    tap.contains(text, "0x0010  only host-00002 has it (full)\n0x0011  only host-00006 has it")
    try:
        LAB.ctl("pkey", HOSTS[7] + "/1", "0", "0x0")
        LAB.ctl("pkey", HOSTS[7] + "/1", "1", "0x0")
        text = matrix("--from", HOSTS[0], "--to", HOSTS[7])
        tap.contains(text, "cannot talk: they have no key in common\n")
    finally:
        LAB.ctl("pkey", HOSTS[7] + "/1", "0", "0x7fff")
        LAB.ctl("pkey", HOSTS[7] + "/1", "1", "0x0012")


def test_a_switch_that_drops_is_named():
    for index in ("0", "1"):
        LAB.ctl("pkey", "leaf-0001/2", index, "0x0")
    try:
        text = matrix("--from", HOSTS[1], "--to", HOSTS[2])
        tap.contains(text, "cannot talk")
        tap.contains(text, "0x0010  full - limited: no: switches drop it in both directions\n"
                           "        leaf-0001/2 drops what host-00002 sends: its own P_Key table "
                           "has no entry that lets it pass\n"
                           "        leaf-0001/2 drops what is for host-00002: ")
        LAB.ctl("pkey", "leaf-0001/2", "1", "0x0010")
        pair = document("--from", HOSTS[1], "--to", HOSTS[2])["pair"]
        tap.equal(keys(pair)["0x0010"]["switches"],
                  {"from_in": "drops", "to_out": "passes", "to_in": "passes", "from_out": "drops"})
    finally:
        LAB.ctl("pkey", "leaf-0001/2", "0", "0x7fff")
        LAB.ctl("pkey", "leaf-0001/2", "1", "0x8010")


def test_both_forms_count_as_full():
    LAB.ctl("pkey", HOSTS[6] + "/1", "5", "0x8012")
    try:
        found = document()["partitions"][2]
        tap.equal(found, {"pkey": "0x0012", "both": [HOSTS[6]], "full": [], "limited": [HOSTS[7]]})
        tap.contains(matrix(), "        both 1: host-00007\n        limited 1: host-00008\n")
    finally:
        LAB.ctl("pkey", HOSTS[6] + "/1", "5", "0x0")


def test_20_percent_loss_everywhere_hides_nothing():
    with said("loss", "20%", "on", "all"):
        found = document(code=1)
    tap.equal(found["partitions"], PARTITIONS)
    tap.equal(found["unanswered"], [])


def test_who_does_not_answer_is_listed_and_the_rest_is_shown():
    with said("loss", "100%", "on", "agent", HOSTS[2]):
        found = document(code=1)
        tap.equal(found["unanswered"], [{"kind": "behind", "port": "leaf-0002/1"}])
        tap.equal(found["partitions"][0]["limited"], [HOSTS[3]])
        tap.contains(matrix("--timeout", "100ms", code=1), "no answer from behind leaf-0002/1\n")
        text = matrix("--from", HOSTS[1], "--to", HOSTS[2], "--timeout", "100ms", code=3)
        tap.contains(text, "not everybody has answered")
        # A pair that is complete is not the worse for it.
        matrix("--from", HOSTS[0], "--to", HOSTS[1], "--timeout", "100ms")


def test_who_looks_may_be_anybody_alive():
    want = document(code=1)["partitions"]
    for node in (HOSTS[5], "spine-0002", f"{GUID[4]:#x}"):
        tap.equal(document("--node", node, code=1)["partitions"], want, node)
    tap.contains(matrix(code=3, env={"WEFT_NODE": "host-99999"}), "host-99999")
    with said("loss", "100%", "on", "agent", HOSTS[3]):
        tap.contains(matrix("--node", HOSTS[3], "--timeout", "100ms", code=3),
                     "does not answer itself")


def test_names_that_are_wrong_or_too_many():
    tap.contains(matrix("--from", "host-0002", "--to", HOSTS[2], code=3),
                 'did you mean "host-00002"?')
    tap.contains(matrix("--from", HOSTS[2], "--to", "0x1234", code=3), "or a GUID such as")
    tap.contains(matrix("--from", HOSTS[2], "--to", NODE_GUID_3, code=2), "name two ports")
    tap.contains(matrix("--from", HOSTS[2], "--to", HOSTS[2], code=2), "name two ports")
    tap.contains(matrix("--from", HOSTS[2], code=2), "--from and --to go together")
    tap.contains(matrix("--to", "", "--from", "x", code=2), "wants a name")
    tap.contains(matrix("--sysfs", "x", code=2), "matrix has no --sysfs; vf has")
    tap.contains(matrix("--timeout", "9ms", code=2), "--timeout")
    LAB.ctl("name", HOSTS[2], HOSTS[1])
    try:
        tap.contains(matrix("--from", HOSTS[1], "--to", HOSTS[0], code=3),
                     "several nodes are called")
        tap.contains(matrix("--from", NODE_GUID_3, "--to", HOSTS[0]), NODE_GUID_3 + " and ")
        LAB.ctl("name", NODE_GUID_3, '"\x1b[31mred"')
        text = matrix(code=1)
        assert "\x1b" not in text, "control characters reach the terminal"
        tap.contains(text, "\\x1b[31mred")
    finally:
        LAB.ctl("name", NODE_GUID_3, HOSTS[2])


def test_a_dead_node_is_a_link_that_is_down():
    LAB.ctl("node", HOSTS[7], "dead")
    found = document(code=1)
    tap.equal(found["unanswered"], [])
    tap.equal(found["partitions"][2]["limited"], [HOSTS[6]])
    tap.equal(found["ports_down"], 1)
    tap.contains(matrix(code=1), "\n1 switch port is down: who is behind it is not known\n")
    text = matrix("--from", HOSTS[0], "--to", HOSTS[7], code=3)
    tap.contains(text, f'nobody who can be reached is "{HOSTS[7]}"; give a name')
    tap.contains(text, "1 switch port is down")
    assert "did you mean" not in text, text
    LAB.ctl("node", HOSTS[7], "alive")
    tap.equal(document(code=1)["ports_down"], 0)


def test_no_daemon_there():
    done = tap.run([tap.weft(), "partitions", "matrix", "--fabric", str(LAB.folder / "none")])
    tap.equal(done.returncode, 3)
    tap.contains(done.stderr, "weft fabric")


if __name__ == "__main__":
    with fabric_lab.weft(SPEC) as LAB:
        (LAB.folder / "partitions.conf").write_text(CONF, encoding="utf-8")
        LAB.opensm(HOSTS[0], "-P", LAB.folder / "partitions.conf")
        tap.main(globals())
