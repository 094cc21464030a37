#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""weft discover beside ibnetdiscover on the same fabrics, what it says of the dead, and what it
sees that has changed."""
import contextlib
import json
import os
import pathlib
import re
import subprocess

import fabric_lab
import tap

HOST = "host-00001"
CAS, SWITCHES, LINKS = 324, 27, 648
LAB = None


def run(*options, code=0, lab=None):
    """Runs the command; it must end with a code."""
    socket = str((lab or LAB).socket)
    done = tap.run([tap.weft(), "discover", "--fabric", socket, *map(str, options)])
    assert done.returncode == code, (f"exit code {done.returncode}, not {code}:\n{done.stdout}\n"
                                     f"{done.stderr}")
    return done


def lines(text):
    return sorted(line for line in text.splitlines() if "generated on" not in line)


def ways_cut(text):
    """Of the lines of -s LID and name are cut: ibnetdiscover may not know them yet."""
    return re.sub(r"^(DR path .* portnum \d+) lid .*$", r"\1", text, flags=re.M)


def same_as_ibnetdiscover(lab, node, *options):
    tap.equal(lines(ways_cut(run("--node", node, *options, lab=lab).stdout)),
              lines(ways_cut(lab.run(node, "ibnetdiscover", *options))),
              f"discover {' '.join(options)}")


def all_rates():
    """A switch with a link of each width and speed that have a word, and two ports without."""
    rates = [width + speed for width in ("1x", "2x", "4x", "8x", "12x")
             for speed in ("SDR", "DDR", "QDR", "FDR10", "FDR", "EDR", "HDR", "NDR")]
    name = HOST
    ports, hosts = [], []
    for number, rate in enumerate(rates, start=1):
        ca = f'"H-{0x100 + number:016x}"'
        ports.append(f'[{number}] {ca}[1] # "{name}" lid {1 + number} {rate}\n')
        hosts.append(f'\nCa 2 {ca} # "{name}"\n[1] "S-0000000000000001"[{number}] # lid '
                     f'{1 + number} lmc 0 "it\'s a switch" lid 1 {rate}\n')
        name = f"other {number}"
    return (f'Switch {len(rates) + 2} "S-0000000000000001" # "it\'s a switch" base port 0 lid 1 '
            'lmc 0\n' + "".join(ports + hosts))


@contextlib.contextmanager
def happens(*commands, after=("clear",)):
    """Lets something happen to the fabric, and what undoes it afterwards."""
    for command in commands:
        LAB.ctl(*command.split())
    try:
        yield
    finally:
        for command in after:
            LAB.ctl(*command.split())


def test_it_prints_what_ibnetdiscover_prints():
    for option in ([], ["-p"], ["-l"], ["-S"], ["-H"], ["-R"]):
        same_as_ibnetdiscover(LAB, HOST, *option)


def test_it_shows_how_nodes_were_found_as_ibnetdiscover_does():
    # In a ring of three there is one shortest way to each; elsewhere it is a matter of time.
    with fabric_lab.weft("torus:x=3,hosts=2", "--up") as lab:
        same_as_ibnetdiscover(lab, HOST, "-s")
        same_as_ibnetdiscover(lab, HOST, "-s", "-l")
        ways = [line for line in run("-s", lab=lab).stdout.splitlines() if line.startswith("DR")]
    tap.equal((len(ways), sum("-> new" in way for way in ways)), (11, 9))
    assert re.fullmatch(r'DR path slid 0; dlid 0; 0,1,\d -> new Switch \{[0-9a-f]{16}\} portnum 0 '
                        r'lid (\d+)-\1 "torus-\d-0-0"', ways[3]), ways
    own = run("-s").stdout
    tap.equal(own.count("-> new"), CAS + SWITCHES)
    tap.contains(own, "# Topology file")


def test_every_width_and_speed_in_every_column():
    with tap.scratch() as folder:
        path = pathlib.Path(folder, "rates.topo")
        path.write_text(all_rates(), encoding="utf-8")
        for up in (["--up"], []):
            with fabric_lab.weft(path, *up) as lab:
                for option in ([], ["-p"]):
                    same_as_ibnetdiscover(lab, HOST, *option)
                tap.equal({f"{width}x{speed}" for width, speed in
                           re.findall(r"^SW .* (\d+)x (\w+)", run("-p", lab=lab).stdout,
                                      flags=re.M)},
                          {f"{width}x{speed}" for width in (1, 2, 4, 8, 12) for speed in
                           ("SDR", "DDR", "QDR", "FDR", "EDR", "HDR", "NDR")})


def test_it_does_so_on_other_fabrics():
    routers = tap.ROOT / "tests/data/topology/routers.topo"
    ca = re.search(r'^Ca.*"H-([0-9a-f]{16})"', routers.read_text(encoding="utf-8"), flags=re.M)[1]
    for spec, node in (("torus:x=4,y=3,z=2,hosts=2", HOST), (routers, f"0x{ca}")):
        with fabric_lab.weft(spec, "--up") as lab:
            for option in ([], ["-p"], ["-l"]):
                same_as_ibnetdiscover(lab, node, *option)


# ibsim's library does not live under a sanitizer, which finds faults in it.
if not os.environ.get("WEFT_SANITIZER_LIBRARY"):
    def test_ibsim_reads_it_and_it_reads_ibsim():
        with fabric_lab.weft("fat-tree:hosts=8,radix=4", "--up") as lab:
            text = run(lab=lab).stdout
        with fabric_lab.ibsim(text.replace("vendid=0x2c9", "vendid=0x0", 3)) as lab:
            found = lab.run(HOST, tap.weft(), "discover")
            tap.equal(found.count("vendid=0x0\n"), 3)
            tap.equal(lines(found), lines(lab.run(HOST, "ibnetdiscover")))
        shape = [line.partition("#")[0].split() for line in text.splitlines()
                 if line.startswith(("[", "Switch", "Ca"))]
        again = [line.partition("#")[0].split() for line in found.splitlines()
                 if line.startswith(("[", "Switch", "Ca"))]
        tap.equal(sorted(again), sorted(shape))


def test_the_document_has_all_that_was_read():
    found = json.loads(run("--json").stdout)
    tap.equal(found["schema"], "weft.discover/1")
    tap.equal([found[key] for key in ("switches", "cas", "routers", "links", "problems")],
              [SWITCHES, CAS, 0, LINKS, []])
    by_name = {node["name"]: node for node in found["nodes"]}
    leaf = by_name["leaf-0002"]
    tap.equal([leaf["type"], leaf["num_ports"], len(leaf["ports"])], ["switch", 36, 37])
    port = leaf["ports"][1]
    host = by_name["host-00019"]
    tap.equal(port["peer"], {"guid": host["guid"], "port": 1})
    tap.equal([port["state"], port["width"], port["speed"], port["physical_state"]],
              ["active", "4x", "EDR", 5])
    tap.equal(host["ports"][0]["peer"], {"guid": leaf["guid"], "port": 1})
    assert host["ports"][0]["lid"] > 0
    assert port["link_width"]["supported"] & 2, port


def test_routes_are_those_that_lead_there():
    text = run("--routes").stdout
    route, guid = re.search(r'^([0-9,]+) -> Ca (0x[0-9a-f]+) port 1 "host-00200"$', text,
                            flags=re.M).groups()
    found = LAB.run(HOST, "smpquery", "-D", "nodeinfo", route)
    tap.contains(found, f"Guid:............................{guid}")


def test_what_cannot_have_changed_is_not_asked_again():
    with tap.scratch() as folder:
        saved = pathlib.Path(folder, "saved")
        run("--save", saved)
        full = json.loads(run("--json").stdout)["requests"]
        again = json.loads(run("--json", "--since", saved).stdout)["requests"]
    names, across, port_infos = CAS + SWITCHES, 1 + LINKS, CAS + SWITCHES * 37
    # SwitchInfo, and NodeInfo once more.
    tap.equal(full, names + across + port_infos + 2 * SWITCHES)
    # One end of each link is enough: no port has changed its state so far.
    assert again <= full - LINKS * 9 // 10, (full, again)


def test_the_dead_are_named_with_the_ways_that_were_tried():
    with happens("loss 100% on agent host-00300", "loss 100% on agent spine-0002"):
        done = run("--timeout", "200ms", code=1)
        found = json.loads(run("--json", "--timeout", "200ms", code=1).stdout)
    tap.contains(done.stderr, 'weft: nobody answers behind Switch')
    named = re.search(r'"leaf-0017" port 12; tried (0,1,\d+,\d+,12) and (0,1,\d+,\d+,12)\n',
                      done.stderr)
    assert named and named[1] != named[2], done.stderr
    # The spine is behind two ports of each leaf.
    tap.equal(len(done.stderr.splitlines()), 1 + 2 * 18)
    tap.equal(done.stdout.count("\nCa"), CAS - 1)
    tap.equal(done.stdout.count("\nSwitch"), SWITCHES - 1)
    tap.equal({(p["kind"], p["name"]) for p in found["problems"]},
              {("mute", f"leaf-{number:04}") for number in range(1, 19)})


def changes(saved, code=1):
    done = run("--since", saved, "--timeout", "200ms", code=code)
    return done.stdout.splitlines(), done.stderr


def test_what_has_changed():
    with tap.scratch() as folder:
        saved = pathlib.Path(folder, "saved")
        tap.equal(run("--save", saved).stdout, "")
        tap.equal(lines(saved.read_text(encoding="utf-8")), lines(run().stdout))
        tap.equal(changes(saved, code=0), ([], ""))
        with happens("link leaf-0003/5 down", after=["link leaf-0003/5 up"]):
            found, _ = changes(saved)
            tap.contains(found[0], 'node-removed: Ca ')
            tap.contains(found[0], '"host-00041" is gone')
            tap.contains(found[1], 'port 5 of Switch')
            tap.equal(len(found), 2)
        with happens("name host-00020 login-1", "link leaf-0004/20 width 1x speed SDR",
                     after=["name login-1 host-00020", "link leaf-0004/20 restore"]):
            found, _ = changes(saved)
            tap.contains(found[0], '"login-1"')
            tap.contains("\n".join(found), "had 4xEDR, now 1xSDR")
            tap.equal([line.split(":")[0] for line in found], ["node-changed", "link-changed"])
        with happens("loss 100% on agent host-00300"):
            found, said = changes(saved)
            tap.contains("\n".join(found), '"host-00300" is gone')
            tap.contains(said, '"host-00300" was; tried 0,1,')


def test_a_cable_that_was_moved():
    with tap.scratch() as folder:
        saved = pathlib.Path(folder, "saved")
        run("--save", saved)
        text = saved.read_text(encoding="utf-8")
        # As if these two had been the other way round when the topology was saved.
        for pattern in (r'^\[1\]\t.*"(?:host-00019|host-00037)".*$',
                        r'(?<="host-00019"\n)\[1\].*$|(?<="host-00037"\n)\[1\].*$'):
            first, second = re.findall(pattern, text, flags=re.M)
            one, other = first.partition("\t"), second.partition("\t")
            text = text.replace(first, "X").replace(second, "".join([*other[:2], one[2]]))
            text = text.replace("X", "".join([*one[:2], other[2]]))
        saved.write_text(text, encoding="utf-8")
        found, _ = changes(saved)
        tap.equal([line.split(":")[0] for line in found], ["link-moved"] * 2)
        found = json.loads(run("--since", saved, "--json", "--save", saved, code=1).stdout)
        assert found["changes"], found
        tap.equal(changes(saved, code=0), ([], ""))


def test_refusals():
    for options, words in ((["--list", "--ports"], "one list at a time"),
                           (["--json", "-S"], "--json has everything"),
                           (["--json", "-s"], "--json has everything"),
                           (["--since", "f", "-s"], "--since prints changes"),
                           (["--routes", "-l"], "one list at a time"),
                           (["--since", "f", "-p"], "--since prints changes"),
                           (["--save", ""], "wants a file's name"),
                           (["--timeout", "1ms"], "timeout"),
                           (["--ca", "mlx5_0"], "which is meant?"),
                           (["more"], "more")):
        tap.contains(run(*options, code=2).stderr, words)
    tap.contains(run("--since", "/nowhere/saved", code=3).stderr, "/nowhere/saved")
    tap.contains(run("--save", "/nowhere/saved", code=3).stderr, "/nowhere/saved")
    with happens(f"loss 100% on agent {HOST}"):
        done = run("--node", HOST, "--timeout", "50ms", code=3)
        tap.contains(done.stderr, "does not answer itself")


def test_a_pipe_that_closes_is_an_error():
    with subprocess.Popen([tap.weft(), "discover", "--fabric", str(LAB.socket)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        process.stderr.read()
        assert process.wait(timeout=fabric_lab.DEADLINE_S) != 0


with fabric_lab.weft("fat-tree:hosts=324,radix=36", "--up") as LAB:
    tap.main(globals())
