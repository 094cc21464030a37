#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""weft counters: the same values as infiniband-diags, what is wrong first, the dead named, no reset
that was not asked for, and what happens while it watches."""
import contextlib
import json
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import termios

import fabric_lab
import tap

SPEC = "fat-tree:hosts=324,radix=36"
SMALL = "fat-tree:hosts=8,radix=4"
HOST = "host-00001"
MOST = 2**64 - 1
# As perfquery and ibqueryerrors call them.
NAMES = {
    "SymbolErrorCounter": "symbol_errors", "LinkErrorRecoveryCounter": "link_error_recovery",
    "LinkDownedCounter": "link_downed", "PortRcvErrors": "rcv_errors",
    "PortRcvRemotePhysicalErrors": "rcv_remote_physical_errors",
    "PortRcvSwitchRelayErrors": "rcv_switch_relay_errors", "PortXmitDiscards": "xmit_discards",
    "PortXmitConstraintErrors": "xmit_constraint_errors",
    "PortRcvConstraintErrors": "rcv_constraint_errors",
    "LocalLinkIntegrityErrors": "local_link_integrity_errors",
    "ExcessiveBufferOverrunErrors": "buffer_overrun_errors", "VL15Dropped": "vl15_dropped",
    "PortXmitWait": "xmit_wait", "QP1Dropped": "qp1_dropped",
}
# Planted: port, counter as the fabric calls it, value. All within the classic counters.
PLANTED = [("leaf-0001/19", "symbol_errors", 12), ("leaf-0001/19", "rcv_errors", 300),
           ("spine-0009/7", "xmit_discards", 65000), ("leaf-0018/36", "link_error_recovery", 200),
           ("host-00003/1", "rcv_remote_physical_errors", 9), ("host-00324/1", "vl15_dropped", 1),
           ("leaf-0007/2", "xmit_wait", 4000000000), ("leaf-0007/2", "buffer_overrun_errors", 3),
           ("leaf-0008/1", "local_link_integrity_errors", 2),
           ("leaf-0009/5", "rcv_switch_relay_errors", 77), ("leaf-0009/6", "link_downed", 5),
           ("leaf-0010/0", "rcv_constraint_errors", 8)]
LAB = None


def command(*options, lab=None):
    return [tap.weft(), "counters", "--fabric", str((lab or LAB).socket), "--node", HOST,
            *map(str, options)]


def counters(*options, code=0, lab=None, stdin=""):
    """What the command prints; it must end with a code."""
    done = tap.run(command(*options, lab=lab), stdin=stdin)
    assert done.returncode == code, (f"exit code {done.returncode}, not {code}:\n{done.stdout}\n"
                                     f"{done.stderr}")
    return done.stderr if code in (2, 3) else done.stdout


def document(*options, code=1, lab=None):
    found = json.loads(counters("--json", *options, code=code, lab=lab))
    tap.equal(found["schema"], "weft.counters/1")
    return found


def by_port(found):
    return {f"{p['node']}/{p['port']}": p for p in found["ports"]}


def plant(planted=tuple(PLANTED)):
    for port, counter, value in planted:
        LAB.ctl("counter", port, counter, "set", value)


def plant_all(rows):
    """The same for very many, in one go."""
    lines = "".join(f"counter {port} {counter} set {value}\n" for port, counter, value in rows)
    tap.succeeds(tap.run([tap.weft(), "fabric", "ctl", str(LAB.socket), "-"], stdin=lines))


@contextlib.contextmanager
def planted(*rows):
    """Plants counters for some time."""
    plant(rows)
    try:
        yield
    finally:
        plant([(port, counter, 0) for port, counter, _ in rows])


@contextlib.contextmanager
def said(*words):
    """Says something to the fabric for some time."""
    LAB.ctl(*words)
    try:
        yield
    finally:
        LAB.ctl("clear")


def lid_of(node, port=1):
    return document("--of", node, "--all", code=0)["ports"][port - 1]["lid"]


def perfquery(lid, port):
    text = LAB.run(HOST, "perfquery", "-x", lid, port)
    return {name: int(value) for name, value in
            re.findall(r"^(\w+):\.*(\d+)$", text, flags=re.M)}


def test_a_fabric_with_nothing_wrong():
    tap.contains(counters(), "1323 ports: 324 read, 999 nothing wrong by their switch's sum, "
                             "0 not read; nothing is wrong with what was read\n")
    found = document("--all", code=0)
    tap.equal([found["ports_read"], found["ports_summed"], found["ports_wrong"],
               len(found["ports"]), found["unanswered"]], [1323, 0, 0, 1323, []])


def errors_of_ibqueryerrors(*options):
    """What ibqueryerrors says of which port of which GUID."""
    text = LAB.done(HOST, "ibqueryerrors", "--skip-sl", *options).stdout
    return {(int(guid, 16), int(port), NAMES[name]): int(value)
            for guid, port, rest in re.findall(r"GUID (0x\w+) port (\d+): (.*)", text)
            for name, value in re.findall(r"\[(\w+) == (\d+)", rest)}


def guid_of_ibqueryerrors(port):
    """ibqueryerrors names the port's GUID of adapters: one above the node's here."""
    return int(port["node_guid"], 16) + (port["type"] == "ca")


def test_what_is_wrong_is_what_ibqueryerrors_finds():
    with planted(*PLANTED):
        theirs = errors_of_ibqueryerrors()
        ours = {(guid_of_ibqueryerrors(p), p["port"], name): p["counters"][name]
                for p in document()["ports"] for name in p["problems"]}
        tap.equal(ours, theirs)
        tap.equal(len(ours), len(PLANTED))


def test_every_counter_of_every_port_is_what_ibqueryerrors_finds():
    names = sorted(set(NAMES.values()) - {"qp1_dropped"})  # which ibqueryerrors does not know
    ports = sorted(by_port(document("--all", code=0)))
    rows = [(port, names[(number + step) % len(names)], 1 + number % 14)
            for number, port in enumerate(ports) if number % 5 == 0 for step in (0, 4)]
    with tap.scratch() as folder:
        path = pathlib.Path(folder, "thresholds")
        path.write_text("".join(f"{name}=0\n" for name in NAMES), encoding="utf-8")
        plant_all(rows)
        try:
            theirs = errors_of_ibqueryerrors("--threshold-file", path)
            found = document("--all")
        finally:
            plant_all([(port, name, 0) for port, name, _ in rows])
    tap.equal(sorted(by_port(found)), ports)
    ours = {(guid_of_ibqueryerrors(p), p["port"], name): p["counters"][name]
            for p in found["ports"] for name in names if p["counters"][name] != 0}
    tap.equal(ours, theirs)
    tap.equal(len(ours), len(rows))


def test_values_are_those_of_perfquery():
    with planted(*PLANTED):
        for node, port in (("leaf-0001", 19), ("spine-0009", 7), ("host-00003", 1)):
            before = by_port(document("--of", node, "--all"))[f"{node}/{port}"]
            theirs = perfquery(before["lid"], port)
            after = by_port(document("--of", node, "--all"))[f"{node}/{port}"]
            for name, ours in NAMES.items():
                tap.equal(before["counters"][ours], theirs[name], f"{node}/{port} {name}")
            # Traffic goes on between: the questions themselves. Words become bytes.
            for name, ours, unit in (("PortXmitData", "xmit_bytes", 4),
                                     ("PortRcvData", "rcv_bytes", 4),
                                     ("PortXmitPkts", "xmit_packets", 1),
                                     ("PortUnicastRcvPkts", "unicast_rcv_packets", 1)):
                assert before["counters"][ours] <= unit * theirs[name] <= after["counters"][ours], \
                    f"{name}: {before}, {theirs}, {after}"


def test_the_worst_comes_first_with_its_peer():
    with planted(*PLANTED):
        lines = counters(code=1).splitlines()
        tap.equal(lines[0].split(), ["PORT", "NODE", "GUID", "PEER", "LINK", "WRONG"])
        tap.equal([line.split()[0] for line in lines[1:-1]],
                  ["leaf-0009/6", "leaf-0001/19", "leaf-0018/36", "leaf-0008/1", "leaf-0007/2",
                   "host-00003/1", "spine-0009/7", "leaf-0009/5", "leaf-0010/0", "host-00324/1"])
        assert re.fullmatch(r"leaf-0001/19 +0x\w{16} +spine-0001/1 +4x EDR +"
                            r"SymbolErrorCounter 12, PortRcvErrors 300", lines[2]), lines[2]
        tap.contains(lines[-1], "something is wrong with 10 ports")


def test_a_counter_that_is_stuck_is_a_lower_bound():
    with planted(("leaf-0002/1", "symbol_errors", MOST), ("leaf-0002/1", "xmit_data", MOST)):
        tap.contains(counters(code=1), f"SymbolErrorCounter {MOST} or more\n")
        found = by_port(document())["leaf-0002/1"]
        tap.equal(found["at_least"], ["symbol_errors", "xmit_bytes"])
        tap.contains(counters("--of", "leaf-0002", "--all", code=1), "18.4 EB+")


def test_thresholds():
    with tap.scratch() as folder, planted(*PLANTED):
        path = os.path.join(folder, "thresholds")
        with open(path, "w", encoding="utf-8") as out:
            out.write("# all but one\n" + "".join(f"{name}=4000000000\n" for name in NAMES
                                                  if name != "PortRcvErrors")
                      + "PortRcvErrors=0x12b\nNoSuchCounter=1\n")
        done = tap.run(command("--thresholds", path))
        tap.equal(done.returncode, 1)
        tap.contains(done.stderr, f"weft: {path}:16: there is no counter NoSuchCounter\n")
        tap.contains(done.stdout, "something is wrong with 1 port\n")
        with open(path, "a", encoding="utf-8") as out:
            out.write("PortRcvErrors=300\n")
        counters("--thresholds", path)
        with open(path, "a", encoding="utf-8") as out:
            out.write("PortRcvErrors\n")
        tap.contains(counters("--thresholds", path, code=3), f"{path}:18: a line is NAME=NUMBER")
        tap.contains(counters("--thresholds", folder + "/none", code=3), "cannot be read")


def test_who_is_meant():
    guid = int(document("--of", "leaf-0003", "--all", code=0)["ports"][0]["node_guid"], 16)
    for text in ("leaf-0003", f"{guid:#x}", lid_of("leaf-0003")):
        tap.equal(len(document("--of", text, "--all", code=0)["ports"]), 37)
    tap.equal(len(document("--of", "host-0000?", "--all", code=0)["ports"]), 9)
    found = by_port(document("--switch", "leaf-0003", "--all", code=0))
    tap.equal(len(found), 73)
    assert "host-00037/1" in found and "spine-0009/6" in found, sorted(found)
    tap.contains(counters("--of", "leaf-003", code=3), "did you mean \"leaf-000")
    tap.contains(counters("--switch", "host-00001", code=3), "no switch that answers is")
    tap.contains(counters("--rail", "mlx5_0", code=3), "last word \"mlx5_0\"")
    LAB.ctl("name", "host-00005", "node5 mlx5_0")
    try:
        tap.equal(set(by_port(document("--rail", "mlx5_*", "--all", code=0))),
                  {"node5 mlx5_0/1", "leaf-0001/5"})
    finally:
        LAB.ctl("name", "node5 mlx5_0", "host-00005")


def test_dead_nodes_and_loss_everywhere():
    # Links of the dead come back without being active where there is no subnet manager.
    with fabric_lab.weft(SPEC, "--up") as lab:
        dead = ["host-00010", "host-00011", "host-00200", "host-00250"]
        for node in dead:
            lab.ctl("node", node, "dead")
        lab.ctl("loss", "100%", "on", "agent", "host-00100")
        lab.ctl("loss", "5%", "on", "transit")
        found = document("--all", lab=lab)
        ports = by_port(found)
        tap.equal(len(ports), 1323 - len(dead) - 1)
        tap.equal({p["counters_read"] for p in ports.values()}, {"read"})
        tap.equal([(p["node"], p["port"], p["kind"]) for p in found["unanswered"]],
                  [("leaf-0006", 10, "behind")])
        tap.equal({port for port, p in ports.items() if "down" in p["problems"]},
                  {"leaf-0001/10", "leaf-0001/11", "leaf-0012/2", "leaf-0014/16"})
        tap.contains(counters(code=1, lab=lab),
                     "link up, but nobody answers behind it: leaf-0006/10\n")


def test_nothing_is_reset_by_looking():
    with planted(*PLANTED):
        LAB.ctl("counter", "host-00020/1", "xmit_data", "set", 12345678)
        for options in ((), ("--all",), ("--json",), ("--switch", "leaf-0001")):
            counters(*options, code=1)
        found = by_port(document("--all"))
        for port, counter, value in PLANTED:
            tap.equal(found[port]["counters"][counter], value, f"{port} {counter}")
        assert found["host-00020/1"]["counters"]["xmit_bytes"] >= 4 * 12345678


def test_a_reset_that_is_asked_for():
    with planted(*PLANTED):
        tap.contains(counters("--reset", code=2), "standard input is no terminal: add --yes")
        tap.contains(counters("--yes", code=2), "--yes answers what only --reset asks")
        done = tap.run(command("--of", "leaf-0001", "--reset", "--yes"))
        tap.equal(done.returncode, 1)
        tap.contains(done.stdout, "SymbolErrorCounter 12")
        tap.contains(done.stderr, "the counters of 37 of 37 ports were set to 0\n")
        left = by_port(document("--all"))
        tap.equal(left["leaf-0001/19"]["problems"], [])
        tap.equal(left["leaf-0009/6"]["counters"]["link_downed"], 5)
        tap.equal(perfquery(lid_of("leaf-0001"), 19)["SymbolErrorCounter"], 0)


def test_a_terminal_is_asked_before_a_reset():
    with planted(("leaf-0001/19", "symbol_errors", 12)):
        for answer, left in (("n", 12), ("y", 0)):
            own, theirs = pty.openpty()
            with subprocess.Popen(command("--of", "leaf-0001", "--reset"), stdin=theirs,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True) as program:
                os.write(own, f"{answer}\n".encode())
                text = program.communicate(timeout=60)[0]
            os.close(own)
            os.close(theirs)
            tap.contains(text, "Set the counters of 37 ports to 0? [y/N]")
            tap.equal(by_port(document("--of", "leaf-0001", "--all", code=1 if left else 0))
                      ["leaf-0001/19"]["counters"]["symbol_errors"], left)


def test_options_that_do_not_go_together():
    tap.contains(counters("--of", "a", "--switch", "b", code=2), "give one of them")
    tap.contains(counters("--watch", "1s", "--json", code=2), "--watch tells what happens")
    tap.contains(counters("--watch", "1ms", code=2), "--watch")
    tap.contains(counters("--window", "0", code=2), "--window")
    counters("--window", "1", "--of", "leaf-0001")


def test_watching_a_bad_cable_a_name_and_errors():
    """With OpenSM, so that a link that has trained anew carries data again."""
    with fabric_lab.weft(SMALL) as lab:
        lab.opensm("host-00002")
        watch = fabric_lab.Program(command("--watch", "200ms", lab=lab), env=os.environ,
                                   cwd=lab.folder, log=lab.folder / "watch")
        lab.programs.append(watch)

        def shows(words):
            fabric_lab.wait_until(lambda: words in watch.said(), f"it says {words!r}",
                                  hint=watch.said)

        shows("the first look is done")
        lab.ctl("counter", "leaf-0002/1", "symbol_errors", "add", 4)
        shows(" leaf-0002/1: SymbolErrorCounter +4\n")
        lab.ctl("link", "leaf-0003/3", "width", "1x", "speed", "SDR")
        shows("leaf-0003/3: link was 4x EDR, is 1x SDR\n")
        lab.ctl("name", "host-00007", "new name")
        shows(": host-00007 is now called new name\n")
        lab.ctl("link", "leaf-0002/2", "down")
        shows("leaf-0002/2: link down\n")
        shows("host-00004: gone\n")
        lab.ctl("counter", "leaf-0002/1", "symbol_errors", "set", 1)
        shows(" leaf-0002/1: SymbolErrorCounter +1 or more, somebody has reset counters\n")
        tap.equal(watch.end(signal.SIGTERM), 0)
        # The bad cable is what is wrong first, now that OpenSM has made it active again.
        fabric_lab.wait_until(
            lambda: re.search(r"^\S+ +0x\w+ +\S+ +down .*\n\S+ .* 1x SDR +1x where both ends can "
                              r"do 4x, SDR where both ends can do EDR(, [PL]|$)",
                              tap.run(command(lab=lab)).stdout, flags=re.M),
            "the bad cable is found", hint=lambda: tap.run(command(lab=lab)).stdout)


CLEAR = "\033[H\033[2J"


def test_a_screen_that_keeps_what_has_happened_and_quits_at_q():
    own, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (40, 60))
    before = termios.tcgetattr(theirs)
    shown = ""

    def more():
        nonlocal shown
        shown = (shown + os.read(own, 65536).decode()).replace("\r\n", "\n")

    def screen(*words):
        """The next whole screen on which all these words stand, of the next hundred."""
        nonlocal shown
        for _ in range(100):
            while shown.count(CLEAR) < 2:
                more()
            first, _, rest = shown.partition(CLEAR)[2].partition(CLEAR)
            shown = CLEAR + rest
            if all(word in first for word in words):
                return first
        raise AssertionError(f"{words} do not come: {first}")

    with fabric_lab.weft(SMALL, "--up") as lab, \
            subprocess.Popen(command("--watch", "100ms", lab=lab), stdin=theirs, stdout=theirs,
                             stderr=theirs) as program, contextlib.ExitStack() as ends:
        ends.callback(program.kill)
        while "the first look is done; q quits\n" not in shown:
            more()
        tap.contains(screen("RECEIVED"), "ports, each 0.1 s; 0 not read; q quits\n")
        assert not termios.tcgetattr(theirs)[3] & termios.ECHO
        lab.ctl("counter", "leaf-0002/1", "symbol_errors", "add", 4)
        lab.ctl("link", "leaf-0003/3", "down")
        happened = (" leaf-0002/1: SymbolErrorCounter +4\n", " leaf-0003/3: link down\n")
        screen(*happened)
        # They stay when they are over, above the ports; and no line wraps.
        later = screen(*happened)
        while " +4\n" in later.partition("\nPORT ")[2]:
            later = screen(*happened)
        tap.contains(later.partition("\nPORT ")[0], happened[0])
        tap.none(line for line in later.splitlines() if len(line) > 60)
        assert len(later.splitlines()) < 40, later
        # Of a long name the ports are told apart.
        name = "a switch whose name is longer than its column"
        lab.ctl("name", "leaf-0001", name)
        screen(f"\n{name[:26]}/1 ", f"\n{name[:26]}/3 ")
        os.write(own, b"q")
        while program.poll() is None:
            if select.select([own], [], [], 0.05)[0]:
                more()
        tap.equal(program.returncode, 0)
    tap.equal(termios.tcgetattr(theirs), before)
    os.close(own)
    os.close(theirs)


# Other libraries are preloaded there: a sanitizer would have to be first, and finds their faults.
if not os.environ.get("WEFT_SANITIZER_LIBRARY"):
    def test_an_adapter_shows_what_the_direct_door_shows():
        with planted(*PLANTED):
            done = LAB.done(HOST, tap.weft(), "counters", "--ca", "weft0")
            tap.equal(done.returncode, 1)
            tap.equal(done.stdout, counters(code=1))

    def test_on_ibsim_data_are_wide_and_errors_are_not():
        with fabric_lab.ibsim(fabric_lab.topology(SMALL)) as lab:
            lab.opensm("host-00002")

            def look():
                done = lab.done(HOST, tap.weft(), "counters", "--all", "--json")
                tap.equal(done.returncode, 1)  # its links could all be wider than they are
                found = json.loads(done.stdout)
                tap.equal([found["unanswered"], {p["counters_read"] for p in found["ports"]}],
                          [[], {"read"}])
                return by_port(found)["leaf-0001/3"]

            before = look()
            text = lab.run(HOST, "perfquery", "-x", before["lid"], "3")
            after = look()
            theirs = {name: int(value) for name, value in
                      re.findall(r"^(\w+):\.*(\d+)$", text, flags=re.M)}
            assert "SymbolErrorCounter" not in theirs, text
            tap.equal(before["counters"]["symbol_errors"], 0)
            assert "qp1_dropped" not in before["counters"], before
            assert before["counters"]["xmit_bytes"] <= 4 * theirs["PortXmitData"] <= \
                after["counters"]["xmit_bytes"], f"{before}\n{text}\n{after}"


if __name__ == "__main__":
    with fabric_lab.weft(SPEC, "--up") as LAB:
        tap.main(globals())
