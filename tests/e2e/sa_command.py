#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""weft sa on a fabric with OpenSM: each answer is saquery's, and an SA that is BUSY, silent or
asked by many is waited for without asking more."""
import json
import os
import re
import signal

import fabric_lab
import fabric_net
import tap

SPEC = os.environ.get("FABRIC_SPEC", "fat-tree:hosts=54,radix=12")
NET = fabric_net.Net(fabric_lab.topology(SPEC))
HOSTS = NET.hosts()
SM, TOOLS, OTHER = HOSTS[0].id, HOSTS[-1].id, HOSTS[-2].id
LAB = None
MANAGER = None
FOUND = None
POLLS = 0
# What is asked of a large fabric.
OF_LARGE = ("test_nodes_are_those_of_saquery", "test_links_are_those_of_saquery")


def command(*words, node=TOOLS):
    return [tap.weft(), "sa", "--fabric", str(LAB.socket), "--node", node, *map(str, words)]


def done(*words, node=TOOLS):
    return tap.run(command(*words, node=node))


def ask(*words):
    """The document of a query that must succeed."""
    got = done("--json", *words)
    tap.succeeds(got, hint=fabric_lab.tail(LAB.daemon.said()))
    document = json.loads(got.stdout)
    tap.equal((document["schema"], document["complete"]), ("weft.sa/1", True))
    return document


def fails(words, *parts, code=3):
    """A query that must fail, and say why."""
    got = done(*words)
    tap.equal(got.returncode, code, " ".join(words))
    tap.equal(got.stdout, "", "nothing is printed")
    for part in parts:
        tap.contains(got.stderr, part)
    return got.stderr


def saquery(*words):
    return LAB.run(TOOLS, "saquery", "-t", "60000", "--smkey", "1", *words)


def records_of(name):
    """How many records saquery prints."""
    return len(re.findall(r"^\S.*dump:$", saquery(name), flags=re.M))


def packets():
    """What the tools' port has sent and received, as its counters say. Reading them takes two
    packets each way, which are left out."""
    global POLLS  # pylint: disable=global-statement
    lid = FOUND.nodes[TOOLS].lid()
    text = LAB.run(OTHER, "perfquery", "-x", lid, 1)
    POLLS += 2
    return tuple(int(re.search(rf"{name}:\.+(\d+)", text)[1]) - POLLS
                 for name in ("PortXmitPkts", "PortRcvPkts"))


def asked_no_more(document, wanted):
    """So many requests were wanted; repeated were those that were told BUSY, and those without an
    answer, after ClassPortInfo."""
    more = document["requests"] - wanted - document["busy"]
    assert document["silent"] <= more <= 2 * document["silent"], document


def test_nodes_are_those_of_saquery():
    wanted = sorted((int(one["lid"]), one["node_guid"], one["port_guid"], one["NodeDescription"])
                    for one in fabric_net.records(saquery("NR")))
    document = ask("nodes")
    tap.equal(sorted((one["lid"], one["node_guid"], one["port_guid"], one["description"])
                     for one in document["records"]), wanted)
    tap.equal(len(wanted), len(FOUND.ends()), "all end ports")
    asked_no_more(document, 2)  # ClassPortInfo, and one table of any size
    lines = done("nodes").stdout.splitlines()
    tap.equal(len(lines), 1 + len(wanted), "a line each")


def test_links_are_those_of_saquery():
    names = ("FromLID", "FromPort", "ToPort", "ToLID")
    wanted = {tuple(int(one[name]) for name in names) for one in
              fabric_net.records(saquery("LR"))}
    got = [tuple(one[name] for name in ("from_lid", "from_port", "to_port", "to_lid"))
           for one in ask("links")["records"]]
    tap.equal(len(got), len(wanted), "number of records")
    tap.equal(set(got), wanted)
    lines = done("links").stdout.splitlines()
    tap.equal(len(lines), 1 + len(NET.cables()), "a line for each cable")
    cable = FOUND.nodes[HOSTS[0].id].cables[1]
    row = {tuple(line.split()) for line in lines[1:]}
    leaf = FOUND.nodes[cable[0]].name
    assert {(HOSTS[0].name, "1", leaf, str(cable[1])),
            (leaf, str(cable[1]), HOSTS[0].name, "1")} & row, "the first host's cable"


def test_groups_are_those_of_saquery():
    for key, option in (("0", ()), ("1", ("--sm-key=1",))):
        text = LAB.run(TOOLS, "saquery", "--smkey", key, "MCMR")
        wanted = sorted(re.findall(r"mlid\.+0x([0-9a-f]+)", text))
        got = ask("groups", *option)["records"]
        tap.equal(sorted(f"{one['mlid']:x}" for one in got), wanted, f"key {key}")
    tap.contains(done("groups").stdout, "ff12:401b:ffff::ffff:ffff")


def own_gid():
    guid = f"{HOSTS[-1].port_guids[1]:016x}"
    return "fe80::" + ":".join(guid[at:at + 4] for at in range(0, 16, 4))


def raw(attribute, method, **fields):
    words = (word for name, value in fields.items() for word in ("--field", f"{name}={value}"))
    return ask("raw", "--attr", attribute, "--method", method, *words)


def service(method, **more):
    return raw("SR", method, service_id="0x1234", service_gid=own_gid(), pkey="0xffff", **more)


def test_a_service_is_set_found_and_deleted():
    tap.equal(ask("services")["records"], [], "at first")
    tap.contains(done("services").stderr, "the SA shows no services")
    made = service("set", lease_s="0xffffffff", name="weft test")
    tap.equal(made["records"][0]["name"], "weft test")
    got = ask("services")["records"]
    tap.equal([(one["service_id"], one["name"]) for one in got],
              [("0x0000000000001234", "weft test")])
    line = done("services").stdout.splitlines()[1]
    tap.contains(line, "for ever")
    tap.contains(saquery("SR"), "weft test")
    service("delete", name="weft test")
    tap.equal(ask("services")["records"], [], "at the end")


def test_a_group_is_joined_and_left():
    group = {"mgid": "ff12:401b:ffff::ffff:ffff", "port_gid": own_gid(), "join_state": 1}

    def members():
        return [one["port_gid"] for one in ask("groups", "--sm-key", "1")["records"]]

    tap.equal(members(), [], "at first")
    joined = raw("MCMR", "set", **group)["records"][0]
    tap.equal((joined["mlid"], joined["join_state"]), (0xC000, "0x1"))
    tap.equal([one.replace(":0000:0000:0000:", "::", 1) for one in members()], [own_gid()])
    raw("MCMR", "delete", **group)
    tap.equal(members(), [], "at the end")


def test_a_subscription_is_made_and_ended():
    trap = {"lid_begin": 0xFFFF, "is_generic": 1, "type": 0xFFFF, "trap": 64, "qpn": 1,
            "resp_time": 19, "producer": 0xFFFFFF}

    def subscriptions():
        got = ask("raw", "--attr", "IIR", "--sm-key", "1")["records"]
        tap.equal(len(got), records_of("IIR"))
        return [(one["inform_info"]["trap"], one["inform_info"]["qpn"]) for one in got]

    tap.equal(subscriptions(), [], "at first")
    raw("InformInfo", "set", subscribe=1, **trap)
    tap.equal(subscriptions(), [(64, "0x000001")])
    raw("InformInfo", "set", subscribe=0, **trap)
    tap.equal(subscriptions(), [], "at the end")


def test_a_path_is_that_of_saquery_and_its_links_are_cables():
    source, goal = FOUND.nodes[HOSTS[1].id], FOUND.nodes[HOSTS[-2].id]
    text = saquery("-p", "--src-to-dst", f"{source.lid()}:{goal.lid()}")
    wanted = fabric_net.records(text)[0]
    document = ask("path", source.name, goal.name)
    switches = len(document["links"]) - 1
    # ClassPortInfo, both ends, the path; each link; each switch's name and table: never all nodes.
    asked_no_more(document, 1 + 2 + 1 + switches + 1 + 2 * switches)
    path = document["path"]
    tap.equal((path["slid"], path["dlid"]), (source.lid(), goal.lid()))
    for name, field in (("mtu", "mtu"), ("rate", "rate"), ("pkt_life", "life_time")):
        tap.equal(path[field] | path[field + "_selector"] << 6, int(wanted[name], 0), name)
    tap.equal(int(path["pkey"], 16), int(wanted["pkey"], 0))
    links = document["links"]
    tap.equal(document["hops"], len(links))
    cables = {(FOUND.nodes[a].lid(), p, FOUND.nodes[b].lid(), q) for (a, p), (b, q) in
              NET_CABLES}
    for link in links:
        assert (link["from_lid"], link["from_port"], link["to_lid"], link["to_port"]) in cables
    tap.equal([link["to_lid"] for link in links[:-1]], [link["from_lid"] for link in links[1:]])
    tap.equal((links[0]["from"], links[-1]["to"]), (source.name, goal.name))
    for one, other in ((source.lid(), f"0x{goal.port_guids[1]:016x}"),
                       (f"0x{source.guid():016x}", f"{goal.name}/1")):
        again = ask("path", one, other)
        tap.equal((again["path"], again["links"]), (path, links), f"{one} {other}")
    text = done("path", source.name, goal.name).stdout
    for part in (f"{source.name} to {goal.name}", "Gb/s", "bytes", "full member",
                 f"hops       {len(links)}"):
        tap.contains(text, part)


def test_every_table_has_as_many_records_as_saquery_says():
    for name in ("NR", "PIR", "SWIR", "LFTR", "SMIR", "LR", "GIR", "SL2VL", "PKTR", "VLAR", "IIR",
                 "MFTR"):
        wanted = records_of(name)
        got = ask("raw", "--attr", name, "--sm-key", "1")["records"]
        tap.equal(len(got), wanted, name)
    lid = FOUND.nodes[HOSTS[3].id].lid()
    got = ask("raw", "--attr", "PortInfoRecord", "--field", f"lid={lid}")["records"]
    tap.equal([(one["lid"], one["port_info"]["lid"]) for one in got], [(lid, lid)])
    got = ask("raw", "--attr", "0x11", "--mask", "4000", "--field",
              f"description={HOSTS[3].name}")["records"]
    tap.equal([one["lid"] for one in got], [lid])
    tap.contains(done("raw", "--attr", "CPI", "--method", "get").stdout, "class_version: 2")
    tap.equal(done("raw", "--attr", "NR", "--field", "lid=48000").returncode, 0, "none matches")


def test_what_does_not_exist_is_said():
    fails(["path", HOSTS[0].name, "host-0000x"], "the SA knows no such node", "host-0000")
    fails(["path", "48000", HOSTS[0].name], "48000")
    fails(["raw", "--attr", "NR", "--method", "get", "--field", "lid=48000"],
          "no record matches (status 0x0300)")
    fails(["raw", "--attr", "PKTR"], "--sm-key")
    for words, part in ((["raw"], "--attr"), (["raw", "--attr", "NodeRecod"], "NodeRecord"),
                        (["nods"], "nodes"), (["path", "a"], "two nodes"),
                        (["nodes", "--mask", "1"], "raw has"),
                        (["raw", "--attr", "NR", "--field", "led=1"], "no field"),
                        (["raw", "--attr", "NR", "--field", "lid=65536"], "does not fit"),
                        (["raw", "--attr", "NR", "--mask", "x"], "--mask")):
        fails(words, part, code=2)


def times_asked(said):
    return int(re.search(r"asked (\d+) (?:times|time) over", said)[1])


def test_a_BUSY_SA_is_asked_seldom_and_waited_for():
    LAB.ctl("sa", SM, "busy")
    before = packets()
    said = fails(["nodes", "--timeout", "1s"], "is BUSY: asked")
    asked = times_asked(said)
    after = packets()
    tap.equal((after[0] - before[0], after[1] - before[1]), (asked, asked), "packets")
    assert asked <= 4, said
    waiting = LAB.spawn_weft("--json", "nodes")
    fabric_lab.wait_until(lambda: packets()[1] > after[1] + 1, "it was told BUSY twice")
    LAB.ctl("sa", SM, "ok")
    tap.equal(waiting.process.wait(timeout=60), 0)
    document = json.loads(waiting.said())
    tap.equal(len(document["records"]), len(FOUND.ends()))
    assert document["busy"] >= 2, document["busy"]
    asked_no_more(document, 2)


def test_beside_a_storm_of_others_it_finishes_and_asks_no_more():
    loop = "while :; do saquery NR; saquery -p --slid 1; saquery LR; done"
    others = [LAB.spawn(OTHER, "sh", "-c", loop, name="storm") for _ in range(3)]
    for _ in range(3):
        LAB.ctl("sa", SM, "busy")
        before = packets()
        waiting = LAB.spawn_weft("--json", "links")
        fabric_lab.wait_until(lambda at=before[1]: packets()[1] > at, "it was told BUSY")
        LAB.ctl("sa", SM, "ok")
        tap.equal(waiting.process.wait(timeout=60), 0)
        document = json.loads(waiting.said())
        tap.equal(len(document["records"]), 2 * len(NET.cables()))
        asked_no_more(document, 3)
        assert document["requests"] <= 12, document["requests"]
    for other in others:
        other.end()


def test_an_SM_that_does_not_answer_or_has_died_is_named():
    lid = FOUND.nodes[SM].lid()
    MANAGER.process.send_signal(signal.SIGSTOP)
    before = packets()
    said = fails(["links", "--timeout", "2s"], f"the SM at LID {lid} does not answer: asked")
    tap.equal(said.count("does not answer"), 1, "said once for both tables")
    asked = times_asked(said)
    tap.equal(packets()[0] - before[0], asked)
    assert asked <= 3, said
    MANAGER.process.send_signal(signal.SIGCONT)
    MANAGER.end(signal.SIGKILL)
    fails(["links"], f"no SA at LID {lid}")


def spawn_weft(*words):
    """Starts weft sa; it ends with the lab if not before."""
    number = len(LAB.programs)
    out = LAB.folder / f"sa-{number}"
    program = fabric_lab.Program(command(*words), env=os.environ, cwd=LAB.folder, log=out)
    LAB.programs.append(program)
    return program


def without_an_SM():
    fails(["nodes"], "no SM on this subnet", "try opensm")


if __name__ == "__main__":
    with fabric_lab.weft(SPEC) as LAB:
        LAB.spawn_weft = spawn_weft
        without_an_SM()
        MANAGER = LAB.opensm(SM)
        FOUND = fabric_net.Net(LAB.run(TOOLS, "ibnetdiscover"))
        NET_CABLES = [pair for one, other in NET.cables() for pair in ((one, other), (other, one))]
        tap.main({name: value for name, value in globals().items()
                  if len(HOSTS) <= 324 or name in OF_LARGE})
