#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""weft exporter and weft sa beside a storm of questions to an SA that is BUSY, and what the
operators' verbs send, as captures of the fabric have it."""
import collections
import http.client
import json
import os
import re
import struct

import fabric_lab
import fabric_net
import tap

SMALL = "fat-tree:hosts=8,radix=4"
SPEC = "fat-tree:hosts=54,radix=12"
NET = fabric_net.Net(fabric_lab.topology(SPEC))
HOSTS = [host.name for host in NET.hosts()]
SM, STORM, ASKER, METRICS = HOSTS[0], HOSTS[1], HOSTS[2], HOSTS[3]
TARGETS = len(HOSTS) + len(NET.switches())
GET, SET, GET_TABLE, RESPONSE = 0x01, 0x02, 0x12, 0x80
PCAP_HEADER, PCAP_RECORD, ERF_HEADER, UD_HEADERS = 24, 16, 16, 28
CLASS_SMP, CLASS_SA, CLASS_PERF = 0x81, 0x03, 0x04
RMPP_ACK = 2
STORM_OF_ONE = "while :; do saquery NR; saquery -p --slid 1; saquery LR; done"
LAB = None
EXPORTER = None


def metrics(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/metrics")
    answer = connection.getresponse()
    text = answer.read().decode("utf-8")
    connection.close()
    tap.equal(answer.status, 200, text)
    return text


def value(text, metric):
    return float(re.search(rf"^{re.escape(metric)} (\S+)$", text, flags=re.M)[1])


def exporter(lab, node, *options):
    """One that serves, with its port."""
    program = fabric_lab.Program(
        [tap.weft(), "exporter", "--fabric", lab.socket, "--node", node, "--listen",
         "127.0.0.1:0", "--interval", "0", "--topology-interval", "0", "--deadline", "1min",
         *options], env=os.environ, cwd=lab.folder, log=lab.folder / f"exporter-{node}")
    lab.programs.append(program)

    def serves():
        program.must_live()
        return re.search(r"^serving http://.*:(\d+)/metrics$", program.said(), flags=re.M)

    program.port = int(fabric_lab.wait_until(serves, "it serves", hint=program.said)[1])
    return program


def by_name(text, metric, wanted):
    """Names of the ports of which a metric has this value."""
    names = dict(re.findall(r'^weft_port_info\{(guid="\w+",port="\d+"),name="([^"]*)".*\} 1$',
                            text, flags=re.M))
    return {names[key] for key, found in re.findall(rf"^{metric}\{{(.*)\}} (\S+)$", text,
                                                     flags=re.M) if float(found) == wanted}


def sent_by(lab, program):
    """What the daemon has had from a program that takes part."""
    clients = json.loads(lab.ctl("clients", "--json"))["clients"]
    return sum(one["packets_in"] for one in clients if one["pid"] == program.pid)


def sent_from(capture, lid):
    """What was sent from a LID: (class, method) -> number of MADs. No packet has a GRH."""
    text, at = capture.read_bytes(), PCAP_HEADER
    found = collections.Counter()
    while at < len(text):
        length = struct.unpack_from("=I", text, at + 8)[0]
        packet = at + PCAP_RECORD + ERF_HEADER
        mad = packet + UD_HEADERS
        # Acknowledgements of tables look like requests but for their type.
        is_ack = text[mad + 1] == CLASS_SA and text[mad + 25] == RMPP_ACK
        if struct.unpack_from(">H", text, packet + 6)[0] == lid and not is_ack:
            found[text[mad + 1], text[mad + 3]] += 1
        at += PCAP_RECORD + length
    return found


def lid_of(lab, node):
    return int(lab.port(node, 1)["lid"])


def test_nothing_is_set_as_tshark_sees_it():
    """By directed routes, too: nobody else is on this fabric. A reset is what it looks like."""
    with fabric_lab.weft(SMALL, "--up", "--pcap", "pcap") as lab:
        def verb(*words, code=0):
            done = tap.run([tap.weft(), *words, "--fabric", str(lab.socket), "--node",
                            "host-00002"])
            tap.equal(done.returncode, code, done.stderr)

        serving = exporter(lab, "host-00001", "--timeout", "100ms")
        metrics(serving.port)
        lab.ctl("counter", "leaf-0001/1", "symbol_errors", "set", 77)
        lab.ctl("link", "leaf-0003/1", "down")
        metrics(serving.port)
        lab.ctl("link", "leaf-0003/1", "up")
        metrics(serving.port)
        tap.equal(serving.end(), 0)
        verb("discover")
        verb("counters", code=1)
        verb("counters", "--all", code=1)
        capture = lab.folder / "pcap"
        before = capture.stat().st_size
        verb("counters", "--reset", "--yes", code=1)
        lab.ctl("stop")
        fields = ("infiniband.mad.mgmtclass", "infiniband.mad.method")
        done = tap.run(["tshark", "-r", str(capture), "-T", "fields", "-e", fields[0], "-e",
                        fields[1]])
        tap.succeeds(done)
        rows = [tuple(int(word, 0) for word in line.split()) for line in done.stdout.splitlines()]
        # Records are of one size.
        until = len(rows) * (before - PCAP_HEADER) // (capture.stat().st_size - PCAP_HEADER)
        seen, later = collections.Counter(rows[:until]), set(rows[until:])
        tap.equal(set(seen), {(mad_class, method) for mad_class in (CLASS_SMP, CLASS_PERF)
                              for method in (GET, GET | RESPONSE)})
        assert min(seen.values()) > 100, seen
        # It is answered as a Get is.
        tap.equal(later - set(seen), {(CLASS_PERF, SET)})


def test_metrics_beside_a_storm_and_a_BUSY_SA():
    """What the exporter asks is not for the SA. From here on the storm goes on."""
    for _ in range(3):
        LAB.spawn(STORM, "sh", "-c", STORM_OF_ONE, name="storm")
    LAB.ctl("sa", SM, "busy")
    found = metrics(EXPORTER.port)
    tap.equal([value(found, 'weft_targets{state="read"}'), by_name(found, "weft_target_up", 0)],
              [TARGETS, set()])
    tap.equal(value(found, "weft_exporter_late_looks_total"), 0)
    LAB.ctl("sa", SM, "ok")


def test_a_path_beside_a_storm_and_a_BUSY_SA():
    LAB.ctl("sa", SM, "busy")
    waiting = fabric_lab.Program(
        [tap.weft(), "sa", "--fabric", LAB.socket, "--node", ASKER, "--json", "path", HOSTS[0],
         HOSTS[-1]], env=os.environ, cwd=LAB.folder, log=LAB.folder / "path")
    LAB.programs.append(waiting)
    fabric_lab.wait_until(lambda: sent_by(LAB, waiting) >= 2, "it was told BUSY twice",
                          hint=waiting.said)
    found = metrics(EXPORTER.port)
    tap.equal(value(found, 'weft_targets{state="read"}'), TARGETS)
    waiting.must_live()
    LAB.ctl("sa", SM, "ok")
    tap.equal(waiting.process.wait(timeout=60), 0, waiting.said())
    document = json.loads(waiting.said())
    tap.equal(document["path"]["dlid"], lid_of(LAB, HOSTS[-1]))
    # One for what the SA can do, for either end and for the path, one for each link, two for each
    # switch; no more than one more for each BUSY, and for each that came to nothing with a look
    # whether it lives.
    assert document["busy"] >= 2, document
    wanted = 4 + document["hops"] + 2 * (document["hops"] - 1)
    most = wanted + document["busy"] + 2 * document["silent"]
    assert document["requests"] <= most, (most, document)


def test_ten_dead_nodes_are_named_and_all_others_are_there():
    """Five without power, and five whose links are up, but who say nothing."""
    dead, mute = set(HOSTS[10:30:4]), set(HOSTS[30:50:4])
    for node in dead:
        LAB.ctl("node", node, "dead")
    for node in mute:
        LAB.ctl("loss", "100%", "on", "agent", node)
    for _ in range(2):
        found = metrics(EXPORTER.port)
        tap.equal(by_name(found, "weft_target_up", 0), dead | mute)
        tap.equal(len(re.findall(r"^weft_target_up\{.*\} 1$", found, flags=re.M)), TARGETS - 10)
        tap.equal(value(found, "weft_exporter_late_looks_total"), 0)
        tap.equal([len(re.findall(rf"^weft_port_{line}$", found, flags=re.M))
                   for line in [r"peer_silent\{.*\} 1", r"state\{.*\} 1"]], [5, 5])
    LAB.ctl("clear")
    for node in dead:
        LAB.ctl("node", node, "alive")
    fabric_lab.wait_until(lambda: by_name(metrics(EXPORTER.port), "weft_target_up", 0) == set(),
                          "all are back", hint=EXPORTER.said)


def test_what_they_have_sent_is_what_they_say():
    """The last: it ends the fabric, so that the capture is whole."""
    found = metrics(EXPORTER.port)
    tap.equal(sent_by(LAB, EXPORTER), value(found, "weft_exporter_mads_sent_total"))
    lids = {name: lid_of(LAB, node)
            for name, node in [("metrics", METRICS), ("asker", ASKER), ("storm", STORM)]}
    LAB.ctl("stop")
    sent = {name: sent_from(LAB.folder / "pcap", lid) for name, lid in lids.items()}
    # Its agent for SMPs and that of others have answered, too.
    tap.equal({(mad_class, method) for mad_class, method in sent["metrics"]
               if not method & RESPONSE}, {(CLASS_PERF, GET)})
    document = json.loads(fabric_lab.read(LAB.folder / "path"))
    tap.equal(sent["asker"][CLASS_SA, GET] + sent["asker"][CLASS_SA, GET_TABLE],
              document["requests"])
    assert sent["storm"][CLASS_SA, GET_TABLE] > 3, sent["storm"]


if __name__ == "__main__":
    with fabric_lab.weft(SPEC, "--pcap", "pcap") as LAB:
        LAB.opensm(SM)
        EXPORTER = exporter(LAB, METRICS, "--timeout", "500ms")
        tap.main(globals())
