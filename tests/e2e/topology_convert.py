#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What weft topology convert writes, read by those it is for: Slurm's controller, which scontrol
asks what it has read, Graphviz's dot, a reader of JSON and weft itself. And weft topology diff as
an operator uses it."""
import contextlib
import functools
import json
import os
import pathlib
import re
import signal
import socket
import subprocess

import fabric_lab
import tap

DATA = tap.ROOT / "tests/data/topology"
EXAMPLE = tap.ROOT / "examples/fat-tree-324.topo"
SAMPLES = sorted(DATA.iterdir())

TWO_RAILS = "".join(
    f'Switch 4 "S-000000000000000{rail}" # "MF0;ibsw{rail}:MQM8700/U1" base port 0 lid {rail}\n'
    f'[1] "H-00000000000000a{rail}"[1] # "n1 HCA-{rail}" lid 1{rail} 4xEDR\n'
    f'[2] "H-00000000000000b{rail}"[1] # "n2 HCA-{rail}" lid 2{rail} {rail}xEDR\n'
    f'Ca 1 "H-00000000000000a{rail}" # "n1 HCA-{rail}"\n'
    f'Ca 1 "H-00000000000000b{rail}" # "n2 HCA-{rail}"\n' for rail in (1, 2))

CONF = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
AuthType=auth/none
CredType=cred/none
SlurmUser={user}
StateSaveLocation={folder}
SlurmctldPidFile={folder}/pid
SlurmctldPort={port}
SelectType=select/linear
SchedulerType=sched/builtin
ProctrackType=proctrack/linuxproc
TopologyPlugin=topology/tree
MpiDefault=none
NodeName={nodes} NodeAddr=127.0.0.1 CPUs=1
PartitionName=all Nodes=ALL
"""


def convert(form, what, *options, code=0, stdin=""):
    done = tap.run([tap.weft(), "topology", "convert", "--to", form, *options, str(what)],
                   stdin=stdin)
    assert done.returncode == code, f"exit code {done.returncode}, not {code}:\n{done.stderr}"
    return done


@functools.cache
def json_text(what):
    return convert("json", what).stdout


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@contextlib.contextmanager
def slurm(text):
    """Slurm's controller on a topology.conf; gives what scontrol needs to ask it."""
    nodes = ",".join(re.findall(r"^SwitchName=\S+ Nodes=(\S+)$", text, flags=re.M))
    with tap.scratch() as folder:
        conf = pathlib.Path(folder, "slurm.conf")
        conf.write_text(CONF.format(host=socket.gethostname(), folder=folder, port=free_port(),
                                    user=os.environ.get("USER", "root"), nodes=nodes),
                        encoding="utf-8")
        pathlib.Path(folder, "topology.conf").write_text(text, encoding="utf-8")
        command = ["slurmctld", "-D", "-c", "-vvv", "-f", str(conf)]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, start_new_session=True,
                              env={**os.environ, "PATH": fabric_lab.PATH}) as controller:
            said = []
            try:
                for line in controller.stdout:
                    said.append(line)
                    if "slurmctld listening on" in line or "fatal" in line:
                        break
                assert "listening" in said[-1], "Slurm refuses it:\n" + "".join(said[-5:])
                yield {**os.environ, "PATH": fabric_lab.PATH, "SLURM_CONF": str(conf)}
            finally:
                os.killpg(controller.pid, signal.SIGKILL)


def show_topology(env, *node):
    """What scontrol shows: level, name, nodes and switches of each switch."""
    done = tap.run(["scontrol", "show", "topology", *node], env=env)
    tap.succeeds(done)
    rows = (dict(word.partition("=")[::2] for word in line.split())
            for line in done.stdout.splitlines())
    return [(int(row["Level"]), row["SwitchName"], row["Nodes"], row.get("Switches"))
            for row in rows]


def slurm_reads(text):
    with slurm(text) as env:
        return show_topology(env)


def test_slurm_reads_the_tree_of_two_levels():
    with slurm(convert("slurm", EXAMPLE).stdout) as env:
        read = show_topology(env)
        tap.equal([row[1] for row in show_topology(env, "host-00020")], ["leaf-0002", "spine-0001"])
    tap.equal(len(read), 19)
    tap.equal(read[0], (0, "leaf-0001", "host-[00001-00018]", None))
    tap.equal(read[-1], (1, "spine-0001", "host-[00001-00324]", "leaf-[0001-0018]"))


def test_slurm_reads_the_tree_of_three_levels():
    read = slurm_reads(convert("slurm", "fat-tree:hosts=54,radix=6").stdout)
    tap.equal([row[0] for row in read], [0] * 18 + [1] * 6 + [2])
    tap.equal(read[-1][2], "host-[00001-00054]")


def test_slurm_reads_one_rail_and_no_aggregation_nodes():
    read = slurm_reads(convert("slurm", "-", "--rail", "HCA-2", stdin=TWO_RAILS).stdout)
    tap.equal(read, [(0, "ibsw2", "n[1-2]", None)])
    read = slurm_reads(convert("slurm", DATA / "sharp.topo").stdout)
    tap.equal([row[2] for row in read], ["node-1"])


def test_slurm_reads_what_becomes_of_dumps():
    for name, code, wanted in (
            ("terminal.topo", 0, [("leaf_1", "node-[1-2]")]),
            ("ports_report.txt", 0, [("leaf_1", "node-[1-2]")]),
            ("names.topo", 0, [("leaf-1", "a_b,rack")]),
            ("ibsim.net", 1, [("Switch1", "Hca[1-2]"), ("Switch2", "far"),
                              ("fabric", "Hca[1-2],far")]),
            ("unreachable.topo", 1, [("leaf_1", "node-[1-2]"), ("island", "node-9")])):
        read = slurm_reads(convert("slurm", DATA / name, code=code).stdout)
        tap.equal([row[1:3] for row in read], wanted, name)


def test_slurm_refuses_what_is_wrong():
    text = convert("slurm", EXAMPLE).stdout.replace("leaf-[0001-0018]", "leaf-[0001-0019]")
    try:
        slurm_reads(text)
    except AssertionError as refused:
        tap.contains(str(refused), "invalid child")
    else:
        raise AssertionError("Slurm reads anything, so that it reads ours shows nothing")


def test_what_a_tree_cannot_say_is_said():
    done = convert("slurm", "-", stdin=TWO_RAILS, code=1)
    tap.contains(done.stderr, "2 further ports of hosts left out")
    done = convert("slurm", "torus:x=3,y=3,hosts=2", code=1)
    tap.contains(done.stderr, "18 cables between switches of one level")
    tap.contains(done.stderr, "topology/3d_torus")
    tap.equal(slurm_reads(done.stdout)[-1][1], "fabric")
    done = convert("slurm", EXAMPLE, "--rail", "HCA-9", code=3)
    tap.equal(done.stdout, "")
    tap.contains(done.stderr, "no host has a port of rail HCA-9")


def svg(text):
    done = tap.run(["dot", "-Tsvg"], stdin=text)
    tap.succeeds(done)
    tap.equal(done.stderr, "")
    return done.stdout


def test_dot_draws_every_sample():
    # All in one run: dot takes graph after graph.
    drawn = svg("".join(convert("dot", path).stdout for path in SAMPLES)).split("</svg>")[:-1]
    tap.equal(len(drawn), len(SAMPLES))
    for path, picture in zip(SAMPLES, drawn):
        document = json.loads(json_text(path))
        tap.equal((picture.count('class="node"'), picture.count('class="edge"')),
                  (len(document["nodes"]), document["links"]), path.name)


def test_dot_draws_levels_and_slow_links():
    text = TWO_RAILS.replace("2xEDR", "4xEDR")
    drawn = svg(convert("dot", "-", stdin=text).stdout)
    tap.equal(len(re.findall(r'<path fill="none" stroke="red"', drawn)), 1)
    tap.contains(drawn, ">1xEDR</text>")
    drawn = svg(convert("dot", EXAMPLE, "--hosts", "no").stdout)
    tap.equal((drawn.count('class="node"'), drawn.count('class="cluster"')), (27, 2))
    tap.equal(drawn.count(">18 hosts</text>"), 18)


# Members and what their values are; null where the topology does not say it.
NULL = type(None)
DOCUMENT = {"schema": str, "switches": int, "cas": int, "hosts": int, "routers": int, "links": int,
            "nodes": list}
NODE = {"guid": (str, NULL), "id": (str, NULL), "type": str, "name": str, "level": (int, NULL),
        "num_ports": int, "lid": (int, NULL), "lmc": (int, NULL), "system_guid": (str, NULL),
        "vendor_id": (int, NULL), "device_id": (int, NULL), "aggregation": bool,
        "described": bool, "ports": list}
PORT = {"port": int, "guid": (str, NULL), "lid": (int, NULL), "lmc": (int, NULL),
        "width": (str, NULL), "speed": (str, NULL), "linked": bool, "described": bool,
        "peer": dict}
PEER = {"node": int, "guid": (str, NULL), "port": int}


def misfits(shape, thing, where):
    """What differs from a shape: members, their order, types, and GUIDs that are none."""
    if list(thing) != list(shape):
        return [f"{where} has {list(thing)}"]
    return [f"{where}: {key} is {thing[key]!r}" for key, kind in shape.items()
            if not isinstance(thing[key], kind) or (kind is int and isinstance(thing[key], bool))
            or ("guid" in key and thing[key] and not re.fullmatch("0x[0-9a-f]{16}", thing[key]))]


def says_what_the_text_says(what, document):
    nodes = document["nodes"]
    ends = {(i, p["port"]): (p["peer"]["node"], p["peer"]["port"])
            for i, n in enumerate(nodes) for p in n["ports"] if p["linked"]}
    tap.none(f"{what}: {a} has {b} at its other end, but not the other way round"
             for a, b in ends.items() if ends.get(b) != a)
    tap.equal(len({frozenset((a, b)) for a, b in ends.items()}), document["links"], what)
    tap.none(f"{what}: {p['peer']}" for n in nodes for p in n["ports"]
             if nodes[p["peer"]["node"]]["guid"] != p["peer"]["guid"])


def has_the_shape_of_the_manual(what, document):
    tap.equal(document["schema"], "weft.topology/1")
    found = misfits(DOCUMENT, document, what)
    for node in document["nodes"]:
        found += misfits(NODE, node, what)
        assert node["type"] in ("switch", "ca", "router"), node
        assert node["guid"] or node["id"], node
        for port in node["ports"]:
            found += misfits(PORT, port, what) + misfits(PEER, port["peer"], what)
    tap.none(found)


def test_json_has_the_shape_of_the_manual_and_says_what_the_text_says():
    for what in [*SAMPLES, EXAMPLE, "torus:x=3,y=3,hosts=2"]:
        text = json_text(what)
        document = json.loads(text)
        has_the_shape_of_the_manual(what, document)
        says_what_the_text_says(what, document)
        # A node a line: those who read lines find what they look for.
        tap.equal([json.loads(line.strip(" ,")) for line in text.splitlines()
                   if line.startswith("  {")], document["nodes"])


def test_what_ibsim_and_ibnetdiscover_have_is_read_as_the_same():
    for path in [*SAMPLES, EXAMPLE]:
        # What ibsim would refuse is written, with exit code 1.
        once = tap.run([tap.weft(), "topology", "convert", "--to", "ibsim", str(path)]).stdout
        same = tap.run([tap.weft(), "topology", "diff", "--lids", str(path), "-"], stdin=once)
        tap.equal((same.returncode, same.stdout), (0, ""), path.name)
    tap.equal(convert("ibnetdiscover", "-", stdin=once).stdout, once)


def test_what_ibsim_refuses_is_said():
    convert("ibsim", EXAMPLE)
    done = convert("ibsim", DATA / "one_sided.topo", code=1)
    tap.contains(done.stderr, "ibsim refuses this file: 1 cable")


def test_output_goes_to_a_file_or_leaves_it_alone():
    with tap.scratch() as folder:
        path = pathlib.Path(folder, "topology.conf")
        tap.equal(convert("slurm", EXAMPLE, "-o", str(path)).stdout, "")
        text = path.read_text(encoding="utf-8")
        tap.equal(text, convert("slurm", EXAMPLE).stdout)
        convert("slurm", EXAMPLE, "-o", str(path), "--rail", "none", code=3)
        tap.equal(path.read_text(encoding="utf-8"), text)
        tap.equal(os.listdir(folder), ["topology.conf"])


def diff(*words, code=1):
    done = tap.run([tap.weft(), "topology", "diff", *map(str, words)])
    assert done.returncode == code, f"exit code {done.returncode}, not {code}:\n{done.stderr}"
    return done.stdout


def test_diff_in_an_operator_s_words():
    text = EXAMPLE.read_text(encoding="utf-8")
    switch, far = re.search(r'^Switch.*?"(S-\w+)".*\n\[1\]\t"(H-\w+)"', text, flags=re.M).groups()
    near = switch[2:]
    with tap.scratch() as folder:
        path = pathlib.Path(folder, "new")
        moved = text.replace(f'[1]\t"{far}"[1]', f'[90]\t"{far}"[1]', 1)
        moved = re.sub(rf'(^Ca.*"{far}".*\n\[1\]\S*\s+"{switch}")\[1\]', r"\g<1>[90]", moved,
                       flags=re.M)
        path.write_text(moved, encoding="utf-8")
        said = diff(EXAMPLE, path)
        tap.equal(said.count("\n"), 1, said)
        tap.contains(said, ": link-moved: the cable at port 1 of Ca ")
        tap.contains(said, f"moved its other end from port 1 of Switch {near} ")
        tap.contains(said, f"to port 90 of Switch {near} ")
        path.write_text(text.replace("4xEDR", "1xEDR", 1), encoding="utf-8")
        tap.contains(diff(EXAMPLE, path), "is degraded: it had 4xEDR, now 1xEDR")
        path.write_text(text.replace(" lid 1 ", " lid 999 ", 1), encoding="utf-8")
        diff(EXAMPLE, path, code=0)
        tap.contains(diff("--lids", EXAMPLE, path), "had LID 1, now 999")


def test_diff_against_the_fabric_as_it_is_from_any_node_and_through_the_drop_in():
    with fabric_lab.weft(str(EXAMPLE), "--up") as lab:

        def said(code):
            """What all ways say: from two nodes, and as a program that has an adapter."""
            done = [diff(EXAMPLE, "--fabric", lab.socket, "--node", node, code=code)
                    for node in ("host-00001", "host-00300")]
            one = lab.done("host-00300", tap.weft(), "topology", "diff", EXAMPLE, "--ca", "weft0")
            assert one.returncode == code, one.stderr
            tap.equal([done[1], one.stdout], [done[0]] * 2)
            return done[0]

        tap.equal(said(0), "")
        lab.ctl("link", "host-00007/1", "down")
        found = said(1)
        tap.contains(found, "node-removed: Ca ")
        tap.contains(found, '"host-00007" is gone')
        tap.contains(found, "link-removed: the cable from port ")
        tap.equal(found.count("\n"), 2, found)
        # Gone is, seen from there, everything else.
        found = diff(EXAMPLE, "--fabric", lab.socket, "--node", "host-00007")
        tap.equal(found.count("node-removed"), 27 + 324 - 1)


tap.main(globals())
