#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""weft exporter: metrics that promtool and Prometheus take, whatever happens to the fabric or comes
by HTTP while it runs, and no more MADs than it may send."""
import concurrent.futures
import gzip
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import stat
import urllib.parse

import fabric_lab
import tap

LARGE = "fat-tree:hosts=324,radix=36"
SMALL = "fat-tree:hosts=8,radix=4"
# A host with a second cable, which is not plugged in at first, to another switch.
RAILS = """switchguid=0x100
Switch 4 "S-0000000000000100" # "left" enhanced port 0 lid 1 lmc 0
[1] "H-0000000000000200"[1] # "two"
[2] "S-0000000000000300"[2] # "right"
[3] "H-0000000000000400"[1] # "one"

switchguid=0x300
Switch 4 "S-0000000000000300" # "right" enhanced port 0 lid 2 lmc 0
[1] "H-0000000000000200"[2] # "two"
[2] "S-0000000000000100"[2] # "left"

caguid=0x200
Ca 2 "H-0000000000000200" # "two"
[1](201) "S-0000000000000100"[1] # lid 3 lmc 0 "left" lid 1
[2](202) "S-0000000000000300"[1] # lid 4 lmc 0 "right" lid 2

caguid=0x400
Ca 1 "H-0000000000000400" # "one"
[1](401) "S-0000000000000100"[3] # lid 5 lmc 0 "left" lid 1
"""
HOST = "host-00001"
OPEN = "application/openmetrics-text; version=1.0.0"
LAB = None


def ask(port, path="/metrics", method="GET", accept="", body=None, encoding="identity"):
    """An answer with its text."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, body=body,
                       headers={"Accept": accept, "Accept-Encoding": encoding})
    answer = connection.getresponse()
    answer.body = answer.read()
    connection.close()
    packed = answer.getheader("Content-Encoding") == "gzip" and method != "HEAD"
    answer.text = (gzip.decompress(answer.body) if packed else answer.body).decode("utf-8")
    return answer


class Exporter(fabric_lab.Program):
    """An exporter that serves."""

    def __init__(self, *options, lab=None, node=HOST):
        lab = lab or LAB
        super().__init__(
            [tap.weft(), "exporter", "--fabric", lab.socket, "--node", node, "--listen",
             "127.0.0.1:0", *options], env=os.environ, cwd=lab.folder,
            log=lab.folder / f"exporter-{len(lab.programs)}")
        lab.programs.append(self)

        def serves():
            self.must_live()
            return re.search(r"^serving http://(.*):(\d+)/metrics$", self.said(), flags=re.M)

        self.port = int(fabric_lab.wait_until(serves, "it serves", hint=self.said)[2])

    def ask(self, *words, **options):
        return ask(self.port, *words, **options)

    def metrics(self, **options):
        answer = self.ask(**options)
        tap.equal(answer.status, 200, answer.text)
        return Metrics(answer.text)


class Metrics:
    """Samples of a text; those of ports have the names that weft_port_info gives them, too."""

    def __init__(self, text):
        self.text = text
        self.samples = []
        for line in text.splitlines():
            if not line.startswith("#"):
                name, labels, value = re.fullmatch(r'(\w+)(?:\{(.*)\})? (\S+)', line).groups()
                labels = dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"(?:,|$)', labels or ""))
                self.samples.append((name, labels, float(value)))
        names = {}
        for labels, value in self.all("weft_port_info"):
            assert value == 1 and (labels["guid"], labels["port"]) not in names, labels
            names[labels["guid"], labels["port"]] = labels
        for _, labels, _ in self.samples:
            if "port" in labels:
                labels.update(names[labels["guid"], labels["port"]])

    def all(self, metric, **labels):
        return [(found, value) for name, found, value in self.samples
                if name == metric and all(found.get(key) == value
                                          for key, value in labels.items())]

    def value(self, metric, **labels):
        found = self.all(metric, **labels)
        tap.equal(len(found), 1, f"samples of {metric} {labels}: {found[:3]}; number")
        return found[0][1]


def once(*options, code=0, lab=None, node=HOST):
    done = tap.run([tap.weft(), "exporter", "--fabric", str((lab or LAB).socket), "--node", node,
                    "--once", *map(str, options)])
    assert done.returncode == code, (f"exit code {done.returncode}, not {code}:\n{done.stderr}")
    return done.stderr if code > 1 else done.stdout


def promtool(text):
    done = tap.run(["promtool", "check", "metrics"], stdin=text)
    tap.equal([done.returncode, done.stdout, done.stderr], [0, "", ""])


def test_promtool_has_nothing_to_say():
    with fabric_lab.weft(LARGE, "--up") as lab:
        lab.ctl("counter", "leaf-0001/19", "symbol_errors", "set", 2**64 - 1)
        lab.ctl("counter", "leaf-0002/1", "rcv_errors", "set", 77)
        text = once(lab=lab)
        guid = re.search(r"^guid (\S+)$", lab.ctl("port", "host-00007/1"), flags=re.M)[1]
    promtool(text)
    found = Metrics(text)
    tap.equal(found.value("weft_port_rcv_errors_total", name="leaf-0002", port="1"), 77)
    tap.equal(found.value("weft_port_symbol_errors_total", name="leaf-0001", port="19"),
              float(2**64 - 1))
    tap.equal([labels["counter"] for labels, _ in found.all("weft_port_lower_bound")],
              ["symbol_errors"])
    tap.equal([found.value("weft_port_saturated", name="leaf-0001", port="19"),
               found.value("weft_port_saturated", name="leaf-0002", port="1")], [1, 0])
    tap.equal([found.value("weft_nodes", type="ca"), found.value("weft_ports"),
               found.value("weft_targets", state="read")], [324, 1296, 351])
    tap.equal({value for _, value in found.all("weft_target_up")}, {1})
    assert found.value("weft_exporter_mad_retries_total") < \
        found.value("weft_exporter_mads_sent_total")
    port = found.all("weft_port_state", name="host-00007")[0][0]
    tap.equal([port["guid"], port["port"], port["type"], port["peer_name"], port["peer_port"]],
              [guid, "1", "ca", "leaf-0001", "7"])


def test_both_formats_say_the_same():
    exporter = Exporter("--interval", "24h")
    plain, openmetrics = exporter.ask(), exporter.ask(accept=OPEN)
    tap.contains(plain.getheader("Content-Type"), "text/plain; version=0.0.4")
    tap.contains(openmetrics.getheader("Content-Type"), "openmetrics-text; version=1.0.0")
    assert openmetrics.text.endswith("\n# EOF\n")
    assert "# EOF" not in plain.text
    tap.contains(openmetrics.text, "# UNIT weft_exporter_queue_seconds seconds\n")
    tap.contains(openmetrics.text, "# TYPE weft_port_rcv_errors counter\n")
    own = "weft_exporter_"
    tap.equal([line for line in plain.text.splitlines() if not line.startswith(("#", own))],
              [line for line in openmetrics.text.splitlines() if not line.startswith(("#", own))])
    # One look was enough for both.
    tap.equal(Metrics(openmetrics.text).value("weft_exporter_looks_total"), 1)
    tap.equal(Metrics(openmetrics.text).value("weft_exporter_scrapes_total"), 2)
    tap.equal(exporter.end(signal.SIGTERM), 0)


def test_samples_have_the_labels_that_were_chosen():
    def labels_of(*options):
        found = {}
        for line in once(*options).splitlines():
            if line.startswith("weft_") and "port=" in line:
                found.setdefault(line.split("{", 1)[0], set()).add(
                    tuple(re.findall(r'(\w+)="', line)))
        return found

    short, full = labels_of(), labels_of("--labels", "full")
    key, names = ("guid", "port"), ("guid", "port", "name", "type")
    peers = (*names, "peer_guid", "peer_port", "peer_name")
    tap.equal(short.pop("weft_port_info"), {names, peers})
    tap.equal(full.pop("weft_port_info"), {names, peers})
    tap.equal(set.union(*short.values()), {key})
    tap.equal([full["weft_target_up"], full["weft_port_state"]], [{names, peers}, {peers}])
    tap.equal(set(short), set(full))


def test_only_the_metrics_that_are_wanted():
    def names(*options):
        return {name for name, labels, _ in Metrics(once(*options)).samples if "port" in labels}

    always = {"weft_target_up", "weft_port_info"}
    groups = {group: names("--metrics", group) - always
              for group in ["state", "speed", "errors", "data", "casts"]}
    tap.equal(groups["data"], {f"weft_port_{way}_{what}_total" for way in ["xmit", "rcv"]
                               for what in ["bytes", "packets"]} | {"weft_port_xmit_wait_total"})
    tap.equal(len(groups["casts"]), 4)
    # Counters of errors that never were are there, with 0.
    assert {"weft_port_symbol_errors_total", "weft_port_saturated"} < groups["errors"]
    tap.equal(sum(map(len, groups.values())), len(set.union(*groups.values())), "each once")
    tap.equal(names(), set.union(always, *groups.values()) - groups["casts"])
    tap.equal(names("--metrics", "all"), set.union(always, *groups.values()))
    tap.equal(names("--metrics", "data,casts"), always | groups["data"] | groups["casts"])


def test_ports_without_a_cable():
    with tap.scratch() as folder:
        path = pathlib.Path(folder) / "rails"
        path.write_text(RAILS, encoding="utf-8")
        with fabric_lab.weft(path, "--up") as lab:
            def ports(*options, metric="weft_port_state"):
                return {(labels["name"], labels["port"]) for labels, _ in
                        Metrics(once(*options, lab=lab, node="one")).all(metric)
                        if labels["port"] != "0"}

            cabled = {("left", port) for port in "123"} | {("right", "1"), ("right", "2"),
                                                           ("two", "1"), ("one", "1")}
            tap.equal(ports() - {("two", "2")}, cabled)
            tap.equal(ports("--all-ports") - ports(), {("left", "4"), ("right", "3"),
                                                       ("right", "4")})
            # One that was pulled is told of: its link went down. Once somebody resets that it has
            # no cable for who comes new, but still has for who has seen it before.
            exporter = Exporter("--interval", "0", "--topology-interval", "0", lab=lab, node="one")
            exporter.metrics()
            lab.ctl("link", "right/1", "down")
            tap.equal(ports() - {("two", "2")}, cabled)
            # Of a port that was not asked nothing is told, not even its name.
            assert ("two", "2") not in ports("--all-ports", metric="weft_port_info")
            tap.run([tap.weft(), "counters", "--fabric", str(lab.socket), "--node", "one",
                     "--reset", "--yes"])
            tap.equal(ports() - {("two", "2")}, cabled - {("right", "1")})
            for found in (exporter.metrics(), exporter.metrics()):
                tap.equal(found.value("weft_port_state", name="right", port="1"), 1)
            tap.equal(exporter.end(), 0)


def test_gzip_for_who_takes_it():
    exporter = Exporter("--interval", "24h")
    plain = exporter.ask()
    tap.equal(plain.getheader("Content-Encoding"), None)
    for encoding in ["gzip", "deflate, gzip;q=1.0, *;q=0.5", "*", "X-GZIP"]:
        packed = exporter.ask(encoding=encoding)
        tap.equal([packed.getheader("Content-Encoding"), packed.text], ["gzip", plain.text])
        tap.equal(packed.getheader("Vary"), "Accept, Accept-Encoding")
        tap.equal(int(packed.getheader("Content-Length")), len(packed.body))
        assert 10 * len(packed.body) < len(plain.body), (len(packed.body), len(plain.body))
    for encoding in ["", "br", "gzip;q=0", "gzip;q=0.0, *", "gzipped"]:
        tap.equal(exporter.ask(encoding=encoding).body, plain.body, encoding)
    head = exporter.ask(method="HEAD", encoding="gzip")
    tap.equal([head.status, head.body, head.getheader("Content-Length")],
              [200, b"", str(len(packed.body))])
    # It is the same page for all, but for who wants the other format.
    tap.equal(Metrics(exporter.ask(accept=OPEN, encoding="gzip").text)
              .value("weft_exporter_looks_total"), 1)
    tap.equal(exporter.end(), 0)


def test_conflicting_GUIDs_are_counted_and_a_reason_for_exit_code_1():
    with fabric_lab.weft("fat-tree:hosts=36,radix=12", "--up") as lab:
        tap.equal(Metrics(once(lab=lab)).value("weft_conflicts"), 0)
        lab.ctl("lie", "spine-0001", "new-guids")
        text = once(lab=lab, code=1)
    promtool(text)
    # Two cables from each of six leaves; all others have answered.
    found = Metrics(text)
    tap.equal([found.value("weft_conflicts"), found.value("weft_nodes", type="ca")], [12, 36])


def test_scrapers_at_once_get_the_same_look():
    exporter = Exporter("--interval", "24h")
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        texts = list(pool.map(lambda _: exporter.ask().text, range(8)))
    tap.equal(len(set(texts)), 1, "different texts")
    tap.equal(Metrics(texts[0]).value("weft_exporter_looks_total"), 1)
    tap.equal(exporter.end(signal.SIGINT), 0)


def test_what_happens_is_seen_and_nothing_is_restarted():
    """Without a subnet manager: a link that has trained anew carries no GMPs any more."""
    with fabric_lab.weft(SMALL, "--up") as lab:
        exporter = Exporter("--interval", "0", "--topology-interval", "0", "--timeout", "200ms",
                            lab=lab)
        before = exporter.metrics()
        lab.ctl("node", "host-00004", "dead")
        lab.ctl("link", "leaf-0003/1", "down")
        lab.ctl("link", "leaf-0003/2", "width", "1x", "speed", "SDR")
        lab.ctl("name", "host-00007", r'"a \"name\" \\ of {x=\"y\"} \xff"')
        lab.ctl("loss", "100%", "on", "agent", "host-00008")
        found = exporter.metrics()
        # The labels of those who are gone are those of their last sweep.
        away = {f"host-0000{number}" for number in (4, 5, 6, 8)}
        for name in away - {"host-00006"}:
            labels = before.all("weft_target_up", name=name)[0][0]
            tap.equal(found.value("weft_target_up", **labels), 0, name)
        tap.equal({labels["name"] for labels, value in found.all("weft_target_up") if not value},
                  away)
        tap.equal(len(found.all("weft_target_up")), 14)
        tap.equal(found.value("weft_port_state", name="leaf-0003", port="1"), 1)
        tap.equal(found.value("weft_port_link_downed_total", name="leaf-0003", port="1"), 1)
        tap.equal([found.value(f"weft_port_{metric}", name="leaf-0003", port="2") for metric in
                   ["degraded", "width_lanes", "possible_width_lanes", "lane_rate",
                    "possible_lane_rate"]], [1, 1, 4, 2500000000, 25781250000])
        tap.equal({labels["name"] for labels, value in found.all("weft_port_degraded") if value},
                  {"leaf-0003", "host-00006"})
        host = r'a \"name\" \\\\ of {x=\"y\"} \\xff'
        tap.equal(found.value("weft_target_up", name=host), 1)
        tap.equal(found.value("weft_port_state", peer_name=host), 4)
        promtool(found.text)
        lab.ctl("clear")
        lab.ctl("node", "host-00004", "alive")
        lab.ctl("link", "leaf-0003/1", "up")
        lab.ctl("link", "leaf-0003/2", "restore")
        after = exporter.metrics()
        tap.equal({value for _, value in after.all("weft_port_degraded")}, {0})
        tap.equal([after.value("weft_targets", state="gone"), after.value("weft_nodes", type="ca"),
                   after.value("weft_target_up", name="host-00008")], [0, 8, 1])
        tap.equal(exporter.end(signal.SIGTERM), 0)


def test_a_sweep_by_what_is_known_asks_less_and_says_the_same():
    exporter = Exporter("--interval", "0", "--topology-interval", "0")
    one, two, three = (exporter.metrics(), exporter.metrics(), exporter.metrics())
    sent = [m.value("weft_exporter_mads_sent_total") for m in (one, two, three)]
    # The first look stands on the sweep before it, and asks what agents have.
    assert sent[2] - sent[1] < sent[0], sent
    for metric in ["weft_port_state", "weft_port_degraded", "weft_port_possible_width_lanes",
                   "weft_port_possible_lane_rate"]:
        tap.equal(sorted(map(str, three.all(metric))), sorted(map(str, one.all(metric))), metric)
    tap.equal(three.value("weft_exporter_topology_sweeps_total"), 4)
    exporter.end()


def test_the_topology_is_kept_until_something_changes():
    with fabric_lab.weft(SMALL, "--up") as lab:
        exporter = Exporter("--interval", "0", "--topology-interval", "24h", "--timeout", "200ms",
                            lab=lab)

        def sweeps():
            return exporter.metrics().value("weft_exporter_topology_sweeps_total")

        tap.equal([sweeps(), sweeps()], [1, 1])
        lab.ctl("link", "leaf-0003/1", "down")
        # LinkDownedCounter tells: the look after that sweeps.
        tap.equal([sweeps(), sweeps(), sweeps()][1:], [2, 2])
        tap.equal(exporter.end(), 0)


def test_a_cable_that_moves_to_another_switch():
    with tap.scratch() as folder:
        path = pathlib.Path(folder) / "rails"
        path.write_text(RAILS, encoding="utf-8")
        with fabric_lab.weft(path, "--up") as lab:
            lab.ctl("link", "right/1", "down")
            exporter = Exporter("--interval", "0", "--topology-interval", "0", "--timeout",
                                "200ms", lab=lab, node="one")
            before = exporter.metrics()
            lab.ctl("link", "left/1", "down")
            lab.ctl("link", "right/1", "up")
            after = exporter.metrics()
            tap.equal([(labels["port"], labels["peer_name"]) for metrics in (before, after)
                       for labels, _ in metrics.all("weft_port_state", name="two")
                       if "peer_name" in labels], [("1", "left"), ("2", "right")])
            tap.equal(after.value("weft_port_state", name="left", port="1"), 1)
            tap.equal(after.value("weft_targets", state="gone"), 1)
            # A link may be too slow without being too narrow.
            lab.ctl("link", "left/2", "speed", "SDR")
            tap.equal({(labels["name"], labels["port"]) for labels, value in
                       exporter.metrics().all("weft_port_degraded") if value},
                      {("left", "2"), ("right", "2")})


def test_a_deadline_ends_a_look_and_what_answered_is_there():
    with fabric_lab.weft(SMALL, "--up") as lab:
        exporter = Exporter("--interval", "0", "--topology-interval", "24h", "--timeout", "1min",
                            "--deadline", "1s", lab=lab)
        for node in ["host-00004", "leaf-0003"]:
            lab.ctl("loss", "100%", "on", "agent", node)
        found = exporter.metrics()
        lab.ctl("clear")
        tap.equal(found.value("weft_exporter_late_looks_total"), 1)
        assert found.value("weft_exporter_mads_sent_total") > 14
        tap.equal({labels["name"] for labels, value in found.all("weft_target_up") if not value},
                  {"host-00004", "leaf-0003"})
        # The next one asks anew.
        tap.equal(exporter.metrics().value("weft_targets", state="read"), 14)
        tap.equal(exporter.end(), 0)


def test_no_more_packets_than_the_rate_allows():
    """Told by the program's own clock: so many packets take so long at least."""
    with fabric_lab.weft(SMALL, "--up") as lab:
        found = Metrics(once("--rate", "500", lab=lab))
        sent = found.value("weft_exporter_mads_sent_total")
        took = sum(found.value(f"weft_exporter_{part}_duration_seconds")
                   for part in ["topology_sweep", "counters"])
        assert sent > 50, sent
        assert took > sent / 500 - 0.1, (sent, took)
        assert found.value("weft_exporter_queue_seconds_total") > 0


def test_counters_begun_beside_the_first_sweep_are_those_that_once_prints():
    """Also when the topology is due again meanwhile, and not all have answered."""
    with fabric_lab.weft(SMALL, "--up") as lab:
        lab.ctl("pma", "host-00002", "mute")
        found = Metrics(once("--topology-interval", "0", "--deadline", "100ms", lab=lab, code=1))
    tap.equal(found.value("weft_exporter_topology_sweeps_total"), 1)
    assert found.value("weft_targets", state="silent") >= 1


def test_a_sweep_that_takes_longer_than_a_look_goes_on_with_the_next():
    with fabric_lab.weft(SMALL, "--up") as lab:
        exporter = Exporter("--interval", "0", "--topology-interval", "0", "--rate", "100",
                            "--deadline", "500ms", lab=lab)
        looks = []

        def is_swept():
            looks.append(exporter.metrics())
            return looks[-1].value("weft_exporter_topology_sweeps_total") > 1

        fabric_lab.wait_until(is_swept, "a sweep has ended")
        assert len(looks) > 1
        assert looks[0].value("weft_targets", state="read") < 14
        tap.equal({metrics.value("weft_nodes", type="ca") for metrics in looks}, {8})
        tap.equal(exporter.end(), 0)


def test_a_slow_reader_gets_the_page_that_it_began_with():
    """While others are given newer ones."""
    with fabric_lab.weft(LARGE, "--up") as lab:
        exporter = Exporter("--interval", "0", lab=lab)
        with socket.socket() as slow:
            slow.settimeout(60)
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            slow.connect(("127.0.0.1", exporter.port))
            slow.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            got = slow.recv(1)
            later = [exporter.metrics() for _ in range(3)]
            while True:
                part = slow.recv(65536)
                if not part:
                    break
                got += part
        head, body = got.split(b"\r\n\r\n", 1)
        tap.equal(int(re.search(rb"Content-Length: (\d+)", head)[1]), len(body))
        found = Metrics(body.decode("utf-8"))
        looks = [one.value("weft_exporter_looks_total") for one in (found, *later)]
        tap.equal(looks, [1, 2, 3, 4])
        tap.equal(len(found.all("weft_target_up")), 351)
        tap.equal(exporter.end(), 0)


def test_who_asks_during_the_first_sweep_is_not_kept_waiting_for_its_end():
    with fabric_lab.weft(SMALL, "--up") as lab:
        port = free_port()
        program = fabric_lab.Program(
            [tap.weft(), "exporter", "--fabric", lab.socket, "--node", HOST, "--listen",
             f"127.0.0.1:{port}", "--rate", "1", "--deadline", "100ms"], env=os.environ,
            cwd=lab.folder, log=lab.folder / "exporter")
        lab.programs.append(program)

        def is_healthy():
            program.must_live()
            try:
                return ask(port, "/healthz").text == "ok\n"
            except OSError:
                return False

        fabric_lab.wait_until(is_healthy, "it listens", hint=program.said)
        tap.equal([ask(port).status for _ in range(2)], [503, 503])
        tap.equal([program.said(), program.end(signal.SIGTERM)], ["", 0])


def test_requests_of_all_kinds():
    exporter = Exporter("--interval", "24h")
    tap.equal([exporter.ask("/").status, exporter.ask("/healthz").text], [200, "ok\n"])
    tap.contains(exporter.ask("/").text, "/metrics")
    for path in ["/metrics/", "/nothing", "/../../etc/passwd", "/" + "x" * 4000, "//"]:
        tap.equal(exporter.ask(path).status, 404, path)
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "BREW"]:
        answer = exporter.ask(method=method, body="x" * 100 if method == "POST" else None)
        tap.equal([answer.status, answer.getheader("Allow")], [405, "GET, HEAD"], method)
    head = exporter.ask(method="HEAD")
    tap.equal([head.status, head.text], [200, ""])
    tap.equal(exporter.ask("/metrics?a=b&c=%00%ff").status, 200)
    tap.equal(exporter.ask("/metrics", body="y" * 50000).status, 200)
    exporter.end()


def test_garbage_and_the_half_hearted_hurt_nobody():
    exporter = Exporter("--interval", "24h")
    held = []
    for rubbish in [b"", b"\0" * 5000, b"GET", b"GET /metrics HTTP/1.1\r\n", b"\xff\xfe\r\n\r\n",
                    b"GET /metrics HTTP/9.9\r\n\r\n", b"GET " + b"a" * 100000,
                    b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
                    b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 5000 + b"\r\n",
                    b"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\nz"]:
        connection = socket.create_connection(("127.0.0.1", exporter.port), timeout=60)
        held.append(connection)
        try:
            connection.sendall(rubbish)
        except (BrokenPipeError, ConnectionResetError):
            pass
    # Who asks and does not wait for the answer.
    for _ in range(10):
        with socket.create_connection(("127.0.0.1", exporter.port), timeout=60) as connection:
            connection.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
    tap.equal(exporter.metrics().value("weft_exporter_looks_total"), 1)
    for connection in held:
        connection.close()
    tap.equal(exporter.end(), 0)


def test_an_address_that_holds_all_connections_it_gets_leaves_some_for_others():
    exporter = Exporter("--interval", "24h")
    held = []
    for _ in range(80):
        held.append(socket.create_connection(("127.0.0.1", exporter.port), timeout=60))
        try:
            held[-1].sendall(b"GET /metrics HTTP/1.1\r\nX: ")
        except OSError:  # too many
            pass
    with socket.create_connection(("127.0.0.1", exporter.port), timeout=60,
                                  source_address=("127.0.0.2", 0)) as other:
        other.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        tap.contains(other.recv(4096).decode(), "200 OK")
    # It was not the others' time that had run out.
    held[0].setblocking(False)
    try:
        raise AssertionError(f"it says {held[0].recv(100)!r} to whom it waits for")
    except BlockingIOError:
        pass
    for connection in held:
        connection.close()
    tap.equal(exporter.end(), 0)


def test_it_ends_at_once_while_somebody_waits():
    with fabric_lab.weft(SMALL, "--up") as lab:
        exporter = Exporter("--interval", "0", "--timeout", "1min", "--deadline", "1h", lab=lab)
        lab.ctl("loss", "100%", "on", "agent", "host-00004")
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(exporter.ask)
            tap.equal(exporter.ask("/healthz").text, "ok\n")
            tap.equal(exporter.end(signal.SIGTERM), 0)
            try:
                tap.equal(waiting.result().status, 503)
            except (OSError, http.client.HTTPException):
                pass


def test_a_file_for_node_exporter():
    path = LAB.folder / "weft.prom"
    once("--textfile", path)
    promtool(path.read_text(encoding="utf-8"))
    tap.equal(stat.S_IMODE(path.stat().st_mode) & 0o044, 0o044)
    # While it is open nobody else gets its number.
    first = path.open(encoding="utf-8")
    writer = fabric_lab.Program(
        [tap.weft(), "exporter", "--fabric", LAB.socket, "--node", HOST, "--textfile", path,
         "--interval", "100ms"], env=os.environ, cwd=LAB.folder, log=LAB.folder / "writer")
    LAB.programs.append(writer)
    # Whoever reads it finds a whole one.
    seen = set()

    def written():
        text = path.read_text(encoding="utf-8")
        seen.add(Metrics(text).value("weft_exporter_looks_total"))
        return len(seen) > 2

    fabric_lab.wait_until(written, "it is written again", hint=writer.said)
    with first:
        assert path.stat().st_ino != os.fstat(first.fileno()).st_ino
        tap.equal(Metrics(first.read()).value("weft_exporter_looks_total"), min(seen))
    tap.equal(writer.end(), 0)
    tap.equal([p.name for p in LAB.folder.glob("weft.prom*")], ["weft.prom"])


def test_words_for_what_cannot_be():
    exporter = Exporter()
    done = tap.run([tap.weft(), "exporter", "--fabric", str(LAB.socket), "--listen",
                    f"127.0.0.1:{exporter.port}"])
    tap.equal(done.returncode, 3)
    tap.contains(done.stderr, f"cannot listen at 127.0.0.1:{exporter.port}")
    tap.contains(done.stderr, "weft: try --listen")
    tap.contains(once("--textfile", "/no/such/folder/x", code=3), "try another file")
    for options, words in [(["--listen", "nonsense"], "wants ADDRESS:PORT"),
                           (["--listen", "::1:80"], "wants ADDRESS:PORT"),
                           (["--listen", "127.0.0.1:99999"], "wants ADDRESS:PORT"),
                           (["--metrics", "state,,data"], "--metrics state,,data: wants"),
                           (["--metrics", ""], "wants state, speed"),
                           (["--metrics", "states"], "wants state, speed"),
                           (["--labels", "none"], "--labels"),
                           (["--rate", "0"], "--rate"), (["--deadline", "0"], "--deadline"),
                           (["--once", "--listen", "[::1]:0"], "goes with no --listen"),
                           (["--textfile", "x", "--interval", "0"], "100 ms"),
                           (["more"], "more")]:
        done = tap.run([tap.weft(), "exporter", "--fabric", str(LAB.socket), *options])
        tap.equal(done.returncode, 2, options)
        tap.contains(done.stderr, words)
    exporter.end()


def test_a_fabric_that_ends_is_told():
    with fabric_lab.weft(SMALL, "--up") as lab:
        exporter = Exporter("--interval", "0", lab=lab)
        lab.daemon.end()
        try:
            exporter.ask()
        except (ConnectionError, http.client.HTTPException):
            pass
        tap.equal(exporter.process.wait(timeout=60), 3)
        tap.contains(exporter.said(), "fabric daemon has ended")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Prometheus(fabric_lab.Program):
    """One that scrapes an exporter all the time."""

    def __init__(self, lab, exporter):
        (lab.folder / "prometheus.yml").write_text(json.dumps({
            "global": {"scrape_interval": "200ms", "scrape_timeout": "200ms"},
            "scrape_configs": [{"job_name": "weft", "static_configs": [
                {"targets": [f"127.0.0.1:{exporter.port}"]}]}]}), encoding="utf-8")
        self.port = free_port()
        super().__init__(
            ["prometheus", f"--web.listen-address=127.0.0.1:{self.port}",
             "--storage.tsdb.path=data", "--config.file=prometheus.yml"],
            env=os.environ, cwd=lab.folder, log=lab.folder / "prometheus")
        lab.programs.append(self)

    def query(self, words):
        """Labels and value of each series; none while it does not answer yet."""
        self.must_live()
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            connection.request("GET", "/api/v1/query?" + urllib.parse.urlencode({"query": words}))
            answer = json.load(connection.getresponse())
        except (ConnectionError, json.JSONDecodeError):
            return []
        assert answer["status"] == "success", answer
        return [(one["metric"], float(one["value"][1])) for one in answer["data"]["result"]]

    def value(self, words):
        found = self.query(words)
        return found[0][1] if found else None


def dashboard():
    """Queries, each with the labels that its legend wants."""
    source = pathlib.Path(os.environ["WEFT_SOURCE"])
    text = (source / "share" / "grafana-exporter.json").read_text(encoding="utf-8")
    for panel in json.loads(text)["panels"]:
        for target in panel["targets"]:
            labels = set(re.findall(r"{{(\w+)}}", target["legendFormat"]))
            if panel["type"] == "table":
                labels |= {"name", "port"}
            yield target["expr"], labels


def test_prometheus_scrapes_it_and_the_dashboard_shows_it():
    with fabric_lab.weft(SMALL, "--up") as lab:
        lab.ctl("counter", "leaf-0001/1", "symbol_errors", "set", 42)
        lab.ctl("name", "host-00003", r'"ugly \"\\ name"')
        exporter = Exporter("--interval", "0", "--topology-interval", "0", "--timeout", "100ms",
                            lab=lab)
        scraper = Prometheus(lab, exporter)
        value = scraper.value
        fabric_lab.wait_until(lambda: value('up{job="weft"}') == 1
                              and len(scraper.query("weft_target_up == 1")) == 14,
                              "Prometheus has scraped", hint=scraper.said)
        named = ('weft_port_symbol_errors_total * on(instance, guid, port) group_left(name) '
                 'weft_port_info{name="leaf-0001", port="1"}')
        tap.equal(value(named), 42)
        tap.equal(value(r'weft_target_up * on(instance, guid, port) '
                        r'weft_port_info{name="ugly \"\\\\ name"}'), 1)
        assert value("scrape_samples_scraped") > 500
        # What the dashboard is for happens: it shows all of that by name.
        for counter in ["symbol_errors", "link_error_recovery", "rcv_errors", "xmit_discards"]:
            lab.ctl("counter", "leaf-0001/1", counter, "add", 8)
        lab.ctl("link", "leaf-0003/1", "down")
        lab.ctl("link", "leaf-0004/1", "width", "1x")
        fabric_lab.wait_until(lambda: value(named) == 50, "the new value is seen",
                              hint=scraper.said)
        for words, labels in dashboard():
            found = fabric_lab.wait_until(lambda query=words: scraper.query(query),
                                          f"the dashboard shows {words}", hint=scraper.said)
            assert labels <= set(found[0][0]), (words, labels, found[0])
        tap.equal(exporter.end(), 0)


def test_systemd_has_nothing_to_say_about_the_unit():
    unit = fabric_lab.read(f"{os.environ['WEFT_BUILD']}/share/weft-exporter.service")
    start = re.search(r"^ExecStart=(\S+) exporter \$WEFT_EXPORTER_OPTIONS$", unit, flags=re.M)
    path = LAB.folder / "weft-exporter.service"
    # As if it were installed.
    path.write_text(unit.replace(start[1], tap.weft()), encoding="utf-8")
    done = tap.run(["systemd-analyze", "verify", "--man=no", str(path)])
    tap.equal([done.returncode, done.stdout, done.stderr], [0, "", ""])
    # Tenths of its scale from 0 to 10; what is left is the network, the device and root.
    done = tap.run(["systemd-analyze", "security", "--offline=yes", "--threshold=25", str(path)])
    tap.succeeds(done)


def test_the_manual_s_example():
    source = pathlib.Path(os.environ["WEFT_SOURCE"])
    page = (source / "man" / "weft-exporter.1.scd").read_text(encoding="utf-8")
    example = re.search(r"^\s+\$ (weft exporter --once .*)$", page, flags=re.M)[1]
    done = tap.run(["sh", "-c", example.replace("weft ", tap.weft() + " ", 1)],
                   env={"WEFT_FABRIC": str(LAB.socket)})
    tap.succeeds(done)
    tap.contains(done.stdout, "weft_targets{state=\"read\"} 14")


if __name__ == "__main__":
    with fabric_lab.weft(SMALL, "--up") as LAB:
        tap.main(globals())
