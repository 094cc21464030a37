#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""weft storm as a user runs it: table, JSON, report, trace and capture, and what it says when it
cannot."""
import html.parser
import json
import os
import pathlib
import re
import signal
import subprocess
import time

import tap

USAGE, FAILED = 2, 3
POLICIES = ["naive", "fixed", "backoff", "kernel-flow", "port-flow", "adaptive"]
SMALL = ["--topology", "fat-tree:hosts=16,radix=4"]
HARD = ["--sa-rate", "2000", "--sa-queue", "16", "--scenario", "leaf-failure"]


def storm(*words, **options):
    return tap.run([tap.weft(), "storm", *map(str, words)], **options)


def document(*words):
    done = storm(*words, "--json")
    tap.succeeds(done)
    tap.equal(done.stderr, "", "stderr")
    return json.loads(done.stdout)


def test_the_table_has_a_row_for_every_policy_and_every_number_above_it():
    done = storm(*SMALL)
    tap.succeeds(done)
    rows = [line.split()[0] for line in done.stdout.splitlines() if line and line[0] != " "]
    tap.equal([r for r in rows if r in POLICIES], POLICIES)
    for key in ("joins=2", "timeout=4s", "retries=15", "sa-rate=20000", "loss-request=0"):
        tap.contains(done.stdout, key)
    tap.contains(done.stdout, "16 hosts, 20 switches; 16 clients, 0 to 6 links from the SA")
    tap.contains(done.stdout, "160 queries at 20000 per second keep the SA busy for 8.000 ms")


def test_json_has_the_members_that_others_build_on():
    doc = document(*SMALL, *HARD, "--seed", 5)
    tap.equal(doc["schema"], "weft.storm/1")
    tap.equal(doc["seed"], 5)
    tap.equal(doc["scenario"], "leaf-failure")
    tap.equal(doc["topology"], {"hosts": 16, "switches": 20})
    tap.equal(doc["clients"], 16)
    tap.equal(doc["sa"], {"rate_per_s": 2000, "queue": 16, "overload": "drop"})
    tap.equal([p["name"] for p in doc["policies"]], POLICIES)
    numbers = ("resolved", "failed", "mads_sent", "retries", "busy", "sa_dropped", "recv_dropped",
               "stale_work")
    for policy in doc["policies"]:
        for key in numbers:
            assert isinstance(policy[key], int) and policy[key] >= 0, (key, policy)
        for key in ("time_to_all_resolved_ns", "p50_ns", "p99_ns", "max_ns"):
            assert policy[key] is None or policy[key] > 0, (key, policy)
        assert re.fullmatch("[0-9a-f]{16}", policy["trace_hash"]), policy
        tap.equal(policy["resolved"] + policy["failed"], doc["clients"])
        assert policy["p50_ns"] <= policy["p99_ns"] <= policy["max_ns"], policy


def test_the_time_to_all_is_null_when_some_failed():
    doc = document(*SMALL, *HARD, "--policy", "fixed,retries=0", "--policy", "fixed")
    tap.equal(doc["policies"][0]["time_to_all_resolved_ns"], None)
    assert doc["policies"][0]["failed"] > 0
    assert doc["policies"][1]["time_to_all_resolved_ns"] >= doc["least_time_ns"]


def test_numbers_agree_with_arithmetic():
    doc = document(*SMALL, "--scenario", "leaf-failure", "--sa-queue", 1000, "--policy", "fixed")
    policy = doc["policies"][0]
    queries = 16 * 16
    tap.equal(policy["mads_sent"], queries)
    tap.equal(policy["sa_answers"], queries)
    tap.equal(doc["least_time_ns"], queries * 1_000_000_000 // 20000)
    extra = policy["time_to_all_resolved_ns"] - doc["least_time_ns"]
    assert 0 < extra < 100_000, f"{extra} ns more than the SA needs"


def test_the_same_seed_gives_the_same_document():
    words = [*SMALL, *HARD, "--loss", "1%"]
    tap.equal(document(*words, "--seed", 9), document(*words, "--seed", 9))
    assert document(*words, "--seed", 9) != document(*words, "--seed", 10)


def test_every_scenario_and_every_overload_mode_runs():
    for scenario in ("ipoib-boot", "mpi-start", "rogue", "leaf-failure"):
        for overload in ("drop", "busy", "stale"):
            doc = document(*SMALL, "--scenario", scenario, "--sa-overload", overload,
                           "--set", "paths=4", "--duration", "300ms")
            tap.equal(doc["sa"]["overload"], overload)
            tap.equal(len(doc["policies"]), len(POLICIES))


def test_numbers_can_be_set_and_are_shown():
    doc = document(*SMALL, "--set", "paths=3", "--set", "timeout=250ms", "--sa-rate", 1234,
                   "--loss", "0.5%", "--policy", "backoff,base=10ms,jitter=5ms")
    tap.equal(doc["parameters"]["paths"], 3)
    tap.equal(doc["parameters"]["timeout"], 250_000_000)
    tap.equal(doc["parameters"]["loss-request"], 5000)
    tap.equal(doc["parameters"]["loss-response"], 5000)
    tap.equal(doc["sa"]["rate_per_s"], 1234)
    tap.equal(doc["policies"][0]["name"], "backoff,base=10ms,jitter=5ms")
    tap.equal(doc["policies"][0]["settings"]["base"], 10_000_000)
    tap.equal(doc["policies"][0]["settings"]["kind"], "backoff")


def test_more_clients_than_hosts_share_ports_and_fewer_are_spread():
    tap.equal(document(*SMALL, "--clients", 50, "--policy", "fixed")["clients"], 50)
    done = storm(*SMALL, "--clients", 2, "--policy", "fixed")
    tap.contains(done.stdout, "2 clients, 0 to 6 links from the SA")


def test_hosts_without_a_path_are_named_and_the_others_run():
    with tap.scratch() as folder:
        path = pathlib.Path(folder, "split.topo")
        path.write_text('Switch 2 "S-1"\n[1] "H-1"[1]\nCa 1 "H-1"\n[1] "S-1"[1]\n'
                        'Switch 2 "S-2"\n[1] "H-2"[1]\nCa 1 "H-2"\n[1] "S-2"[1]\n')
        done = storm("--topology", path, "--policy", "fixed")
        tap.equal(done.returncode, 1)
        tap.contains(done.stdout, "; 1 client,")
        tap.contains(done.stderr, "1 of 2 hosts have no path to the SA and took no part")


ISOLATED = """Ca 1 "H-00000000000000a1" # "alone"

Switch 2 "S-00000000000000b1" # "leaf"
[1] "H-00000000000000a2"[1]
[2] "H-00000000000000a3"[1]

Ca 1 "H-00000000000000a2" # "twin"
[1](a2) "S-00000000000000b1"[1] # lid 12 lmc 0
Ca 1 "H-00000000000000a3" # "twin"
[1](a3) "S-00000000000000b1"[2] # lid 13 lmc 0
"""


def test_the_SA_is_where_most_hosts_are_or_where_it_was_asked_for():
    with tap.scratch() as folder:
        path = pathlib.Path(folder, "isolated.topo")
        path.write_text(ISOLATED)
        words = ["--topology", path, "--policy", "fixed", "--json"]
        done = storm(*words)
        tap.equal(done.returncode, 1)
        doc = json.loads(done.stdout)
        tap.equal((doc["sa_host"], doc["clients"], doc["unreachable_hosts"]),
                  ("00000000000000a2", 2, 1))
        for wanted, guid, clients in (("alone", "a1", 1), ("0x00000000000000A3", "a3", 2)):
            doc = json.loads(storm(*words, "--sa-host", wanted).stdout)
            tap.equal((doc["sa_host"], doc["clients"]), (guid.rjust(16, "0"), clients))
        done = storm(*words, "--sa-host", "twin")
        tap.equal(done.returncode, USAGE)
        tap.contains(done.stderr, '--sa-host "twin": 2 hosts of topology')
        report = pathlib.Path(folder, "report.html")
        storm(*words, "--report", report)
        tap.contains(report.read_text(), "1 of 3 hosts of the topology has no path to the SA")


class Page(html.parser.HTMLParser):
    """Everything in a page that could make a browser fetch something."""

    def __init__(self):
        super().__init__()
        self.references, self.tags, self.open = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.references += [f"{tag} {name}={value}" for name, value in attrs
                            if name in ("src", "href", "xlink:href", "data", "srcset", "action")
                            or "url(" in (value or "")]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        tap.equal(self.open.pop(), tag, "closed tag")


def report_of(*words):
    with tap.scratch() as folder:
        path = pathlib.Path(folder, "report.html")
        tap.succeeds(storm(*words, "--report", path))
        tap.equal(os.listdir(folder), ["report.html"])
        return path.read_text(encoding="utf-8")


def test_the_report_needs_nothing_but_itself():
    text = report_of(*SMALL, *HARD)
    page = Page()
    page.feed(text)
    tap.equal(page.references, [])
    tap.equal(page.open, [], "tags left open")
    assert "script" not in page.tags and "link" not in page.tags, set(page.tags)
    assert not re.search(r"@import|url\(|https?:", text), "it refers to something outside"


def test_the_report_has_curves_table_and_all_numbers():
    text = report_of(*SMALL, *HARD)
    tap.equal(text.count("<svg role="), 1 + 3 * len(POLICIES))
    for policy in POLICIES:
        tap.contains(text, policy)
    for key in ("sa-busy-above", "rogue-timeout", "window-max", "reask-delay"):
        tap.contains(text, f"<code>{key}</code>")
    tap.contains(text, "clients that have all their answers")
    tap.contains(text, "time since the start")
    for path in re.findall(r' d="([^"]*)"', text):
        assert re.fullmatch(r"[MLHV0-9. ]+", path), f"a curve with {path}"


def verdict_of(*words):
    """The sentences after "What came out", and the policies whose rows are marked."""
    text = report_of(*words)
    sentences = re.search(r"<b>What came out.</b> (.*?)</p>", text).group(1)
    return re.sub("<.*?>", "", sentences), re.findall('<tr class="best"><td class="l">(.*?)<', text)


def test_the_report_calls_an_SA_calm_that_had_no_more_than_it_could_do():
    sentences, best = verdict_of("--clients", 20)
    tap.contains(sentences, "This SA was not overloaded")
    assert "best of" not in sentences, sentences
    tap.equal(best, [])


def test_the_report_compares_waits_where_the_last_start_decides_the_end():
    sentences, best = verdict_of("--scenario", "rogue", "--clients", 50,
                                 "--set", "rogue-queries=20000")
    tap.contains(sentences, "The last client starts only after 4.920 s")
    tap.contains(sentences, "With kernel-flow no client waited longer than 1.851 ms for all its "
                            "answers, the best of 6. With adaptive it was 6.651 ms.")
    tap.contains(sentences, "With naive, fixed and backoff it was 4.025 s.")
    tap.equal(best, ["kernel-flow"])


def test_the_report_tells_clients_cut_off_from_those_that_gave_up():
    words = ["--clients", 2000, "--duration", "3s", "--policy", "fixed", "--policy", "adaptive"]
    sentences, best = verdict_of(*words)
    tap.contains(sentences, "With fixed 49 of 2,000 clients got all their answers, the best of 2. "
                            "With adaptive 31 did. The run was ended after 3.000 s, while up to "
                            "1,969 clients still waited")
    tap.equal(best, ["fixed"])
    doc = document(*words)
    tap.equal([(p["failed"], p["waiting"]) for p in doc["policies"]], [(1951, 1951), (1969, 1969)])
    tap.contains(storm(*words).stdout, "1951 of fixed, 1969 of adaptive")


def test_the_report_has_words_for_none_and_for_one():
    lost = [*SMALL, "--loss", "100%", "--set", "retries=0", "--set", "timeout=1ms"]
    sentences, best = verdict_of(*lost, "--policy", "fixed", "--policy", "backoff")
    tap.equal((sentences, best), ("No client got all its answers, whatever the policy. ", []))
    sentences, best = verdict_of(*lost, "--policy", "fixed")
    tap.equal((sentences, best), ("No client got all its answers. ", []))
    sentences, best = verdict_of("--policy", "fixed", "--policy", "naive")
    tap.equal((sentences, best), ("Both policies came out the same: every client had all its "
                                  "answers after 4.136 s. ", []))
    sentences, best = verdict_of("--policy", "fixed")
    tap.equal((sentences, best),
              ("With fixed every client had all its answers after 4.136 s. ", []))
    tap.contains(report_of(*SMALL, "--clients", 1), "1 client asks 10 questions of one")


def test_the_packets_of_rogues_are_told_apart():
    words = ["--scenario", "rogue", "--clients", 50, "--set", "rogue-queries=20000",
             "--policy", "port-flow"]
    policy = document(*words)["policies"][0]
    tap.equal((policy["mads_sent"], policy["rogue_requests"]), (20250, 20000))
    text = report_of(*words)
    tap.contains(text, "<th>by rogues</th>")
    tap.contains(text, "<td>20,250</td><td>20,000</td>")
    tap.contains(text, "20,000 questions of 1 rogue, 1.000 s of the SA's time")


def test_the_report_keeps_markup_in_names_apart():
    with tap.scratch() as folder:
        path = pathlib.Path(folder, "<b>&.topo")
        path.write_text('Switch 2 "S-1"\n[1] "H-1"[1]\nCa 1 "H-1"\n[1] "S-1"[1]\n')
        text = report_of("--topology", path, "--policy", "fixed")
    tap.contains(text, "&lt;b&gt;&amp;.topo")
    assert "<b>&.topo" not in text


def test_a_run_that_fails_leaves_an_old_report_alone():
    with tap.scratch() as folder:
        path = pathlib.Path(folder, "report.html")
        path.write_text("old")
        for words in (["--policy", "none"], ["--trace", "/nonexistent/x", "--policy", "fixed"]):
            assert storm(*SMALL, "--report", path, *words).returncode in (USAGE, FAILED)
            tap.equal(path.read_text(), "old")
            tap.equal(os.listdir(folder), ["report.html"])


def heed_signals():
    """A program started under nohup ignores SIGHUP, and so would its children."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def test_a_run_that_is_interrupted_leaves_nothing_but_an_old_trace():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        with tap.scratch() as folder:
            path = pathlib.Path(folder, "trace")
            path.write_text("old")
            # Minutes of work, of which a moment is seen.
            command = [tap.weft(), "storm", "--scenario", "mpi-start", "--policy", "fixed",
                       "--clients", "20000", "--trace", path, "--pcap", f"{path}.pcap"]
            with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, preexec_fn=heed_signals) as child:
                while len(os.listdir(folder)) < 3 and child.poll() is None:
                    time.sleep(0.01)
                child.send_signal(number)
                tap.equal(child.wait(timeout=60), -number, "exit code")
            tap.equal(os.listdir(folder), ["trace"])
            tap.equal(path.read_text(), "old")


def test_an_output_keeps_the_link_and_the_permissions_of_its_file():
    with tap.scratch() as folder:
        path, link = pathlib.Path(folder, "real.html"), pathlib.Path(folder, "link.html")
        path.write_text("old")
        path.chmod(0o640)
        link.symlink_to("real.html")
        tap.succeeds(storm(*SMALL, "--policy", "fixed", "--report", link))
        assert link.is_symlink()
        tap.contains(path.read_text(encoding="utf-8"), "<html")
        tap.equal(path.stat().st_mode & 0o777, 0o640)
        tap.equal(sorted(os.listdir(folder)), ["link.html", "real.html"])


def test_no_output_is_another_one_or_the_topology():
    with tap.scratch() as folder:
        topology, link = pathlib.Path(folder, "t.topo"), pathlib.Path(folder, "link")
        topology.write_text('Switch 2 "S-1"\n[1] "H-1"[1]\nCa 1 "H-1"\n[1] "S-1"[1]\n')
        link.symlink_to("t.topo")
        before = topology.read_text()
        for words, pair in ((["--report", "a", "--pcap", "./a"], "--report and --pcap"),
                            (["--trace", f"{folder}/a", "--pcap", "a"], "--trace and --pcap"),
                            (["--report", "t.topo"], "--topology and --report"),
                            (["--trace", "link"], "--topology and --trace")):
            done = storm("--topology", topology, "--policy", "fixed", *words, cwd=folder)
            tap.equal(done.returncode, USAGE)
            tap.contains(done.stderr, f"{pair} are one file")
        tap.succeeds(storm("--topology", topology, "--policy", "fixed", "--trace", "/dev/null",
                           "--pcap", "/dev/null"))
        tap.equal(topology.read_text(), before)
        tap.equal(sorted(os.listdir(folder)), ["link", "t.topo"])


def test_the_trace_tells_what_every_engine_did():
    with tap.scratch() as folder:
        path = pathlib.Path(folder, "trace")
        tap.succeeds(storm("--policy", "fixed", "--clients", 2, "--trace", path, *SMALL))
        lines = path.read_text().splitlines()
    posts = [line for line in lines if " POST: INIT -> SEND_START" in line]
    tap.equal(len(posts), 20)
    assert all(re.match(r"client [01]: \[", line) for line in lines)


def test_the_capture_holds_every_packet():
    with tap.scratch() as folder:
        path = pathlib.Path(folder, "packets.pcap")
        tap.succeeds(storm("--policy", "fixed", "--clients", 2, "--pcap", path, *SMALL))
        done = tap.run(["tshark", "-r", str(path)], env={"HOME": folder})
    tap.succeeds(done)
    lines = done.stdout.splitlines()
    tap.equal(len(lines), 40)
    tap.equal(sum("SubnAdmSet(MCMemberRecord)" in line for line in lines), 4)
    tap.equal(sum("SubnAdmGet(PathRecord)" in line for line in lines), 16)
    tap.equal(sum("SubnAdmGetResp(PathRecord)" in line for line in lines), 16)


def test_list_names_everything_that_can_be_chosen():
    done = storm("--list")
    tap.succeeds(done)
    for word in ("ipoib-boot", "leaf-failure", "naive", "adaptive", "sa-stale", "queue-timeout"):
        tap.contains(done.stdout, f"  {word} ")


# What is written, the exit code, and what the message must say.
WRONG = [
    (["--policy", "poilte"], USAGE, 'there is no policy "poilte"; the policies are: naive fixed'),
    (["--policy", "fixd"], USAGE, "did you mean fixed?"),
    (["--policy", "fixed,tmeout=1s"], USAGE, "did you mean timeout? The keys are: kind bound"),
    (["--policy", "fixed,timeout=1"], USAGE,
     '--policy "fixed,timeout=1": "timeout=1": wants a duration'),
    (["--policy", "port-flow,reserve=512"], USAGE, "reserve must be below recv-depth"),
    (["--policy", "backoff,base=1ms"], USAGE, "jitter may not be above base"),
    ([a for i in range(17) for a in ("--policy", f"fixed,retries={i}")], USAGE,
     "more than 16 policies"),
    (["--scenario", "ipoib-bot"], USAGE,
     '--scenario "ipoib-bot": did you mean ipoib-boot? The scenarios are: ipoib-boot'),
    (["--scenario", "x"], USAGE, '--scenario "x": the scenarios are: ipoib-boot'),
    (["--set", "pats=1"], USAGE,
     '--set "pats=1": there is no key "pats"; did you mean paths? The keys are: joins paths'),
    (["--set", "paths"], USAGE, '--set "paths": not of the form key=value'),
    (["--set", "paths=-3"], USAGE, '--set "paths=-3": wants a whole number from 0 to 65535'),
    (["--set", "paths=0", "--set", "joins=0"], USAGE, "the clients ask for nothing"),
    (["--sa-rate", "-5"], USAGE, '--sa-rate "-5": wants a whole number from 1'),
    (["--sa-rate", "0"], USAGE, '--sa-rate "0": wants a whole number from 1'),
    (["--sa-queue", "many"], USAGE, '--sa-queue "many": wants a whole number'),
    (["--sa-overload", "panic"], USAGE, "wants one of: drop busy stale"),
    (["--loss", "-1%"], USAGE, "--loss"),
    (["--loss", "2"], USAGE, "--loss"),
    (["--seed", "-1"], USAGE, "--seed"),
    (["--seed", "9223372036854775808"], USAGE, "--seed"),
    (["--duration", "10"], USAGE, '--duration "10": wants a duration'),
    (["--clients", "0"], USAGE, "wants a whole number from 1 to 200000"),
    (["--clients", "1000000000000"], USAGE, "wants a whole number from 1 to 200000"),
    (["--clients", "200000", "--set", "paths=65535", "--policy", "fixed"], FAILED,
     "200000 clients and 0 rogues need at least"),
    (["--clients", "200000", "--scenario", "rogue", "--set", "paths=65535", "--policy", "fixed"],
     FAILED, "rogue-width=N to ask for less at a time"),
    (["--topology", "/nonexistent.topo"], FAILED, "/nonexistent.topo"),
    (["--topology", "/dev/null"], FAILED, "/dev/null"),
    (["--topology", "fat-tree:hosts=-1"], USAGE, "hosts"),
    (["--report", "/nonexistent/report.html"], FAILED, "/nonexistent/report.html: No such file"),
    (["--report", "/"], FAILED, "cannot write the report to /"),
    (["--report", "/dev/full", "--policy", "fixed"], FAILED, "No space left on device"),
    (["--trace", "/tmp/trace"], USAGE, "name it with one --policy"),
    (["--trace", "/dev/full", "--policy", "fixed"], FAILED, "No space left on device"),
    (["--set", "foo=1"], USAGE, '--set "foo=1": there is no key "foo"; the keys are: joins'),
    (["--topology", ""], USAGE, '--topology "": wants a name'),
    (["--sa-host", ""], USAGE, '--sa-host "": wants a name'),
    (["--report", ""], USAGE, '--report "": wants a name'),
    (["--sa-host", "host-00017"], USAGE, '--sa-host "host-00017": topology fat-tree:hosts=16'),
    (["--sa-host", "hots-00001"], USAGE, 'did you mean "host-00001"?'),
    (["--sa-host", "leaf-0001"], USAGE, "has no such host"),
    (["--list", "--json"], USAGE, "--list is for people and has no JSON form"),
    (["surprise"], USAGE, '"surprise"'),
]


def test_what_is_wrong_is_named_with_its_place_and_a_way_out():
    for words, exit_code, text in WRONG:
        done = storm(*SMALL, *words)
        tap.equal(done.returncode, exit_code, " ".join(words))
        tap.equal(done.stdout, "", " ".join(words))
        tap.contains(done.stderr, text, " ".join(words))
        assert all(line.startswith("weft: ") for line in done.stderr.splitlines()), done.stderr


tap.main(globals())
