#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""weft fabric, weft fabric ctl and weft run as a user meets them: what they say, how they end, and
what they leave behind."""
import contextlib
import json
import os
import pathlib
import pty
import re
import select
import signal
import socket
import stat
import struct
import subprocess
import time

import tap

DONE, PART, USAGE, FAILED = 0, 1, 2, 3
SMALL = "fat-tree:hosts=16,radix=4"
# What normally takes a fraction of a second.
DEADLINE_S = 30
NOBODY = 65534


def weft(*words, **options):
    # No daemon of the user who runs the tests is meant by any of them.
    env = {"WEFT_FABRIC": "", "XDG_RUNTIME_DIR": "", **options.pop("env", {})}
    return tap.run([tap.weft(), *map(str, words)], env=env, **options)


def fabric(*words, **options):
    return weft("fabric", *words, **options)


def ctl(*words, **options):
    return weft("fabric", "ctl", *words, **options)


def says(done, exit_code, *parts):
    """The command ended so, printed no result, and said all of that, every line as a message."""
    tap.equal((done.returncode, done.stdout), (exit_code, ""), f"{done.args}\n{done.stderr}")
    for part in parts:
        tap.contains(done.stderr, part, "stderr")
    for line in done.stderr.splitlines():
        assert line.startswith("weft: "), line


def wait_until(condition, what):
    deadline = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline, f"not within {DEADLINE_S} s: {what}"
        time.sleep(0.01)


def lives(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A zombie that waits for its parent has ended.
    text = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    return text.rsplit(")", 1)[1].split()[0] != "Z"


@contextlib.contextmanager
def serving(folder, *words, topology=SMALL, name="s", **options):
    """A fabric in the foreground that listens; ended in any case."""
    path = pathlib.Path(folder, name)
    command = [tap.weft(), "fabric", "--topology", str(topology), "--listen", str(path),
               *map(str, words)]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          stderr=options.pop("stderr", subprocess.PIPE), **options) as daemon:
        try:
            daemon.first_line = daemon.stdout.readline()
            daemon.path = path
            yield daemon
        finally:
            if daemon.poll() is None:
                daemon.kill()


def end(daemon, number=signal.SIGTERM):
    """Ends a fabric; gives exit code, what it printed since it listened, and its messages."""
    daemon.send_signal(number)
    out, err = daemon.communicate(timeout=DEADLINE_S)
    return daemon.returncode, out, err


def test_wrong_command_lines_of_fabric_are_named():
    for words, part in (
            ([], "--topology FILE|GEN is missing"),
            (["--topology"], "--topology"),
            (["--topology", ""], 'wants a name'),
            (["--topology", SMALL, "--listen="], '--listen "": wants a name'),
            (["--topology", SMALL, "more"], 'does not know what to do with "more"'),
            (["--topology", SMALL, "--mode", "0888"], "wants permissions in octal"),
            (["--topology", SMALL, "--mode", "1777"], "wants permissions in octal"),
            (["--topology", SMALL, "--mode", ""], "wants permissions in octal"),
            (["--topology", SMALL, "--mode", "0"], "the owner must be able to read and write"),
            (["--topology", SMALL, "--mode", "0466"], "the owner must be able to read and write"),
            (["--topology", SMALL, "--vf-strict"], "there are none: add --vfs N"),
            (["--topology", SMALL, "--seed", "-1"], "wants a whole number from 0"),
            (["--topology", SMALL, "--hop-latency", "2s"], "from 0 ns to 1.000 s"),
            (["--topology", SMALL, "--agent-time", "5"], "wants a duration"),
            (["--topology", SMALL, "--training", "61min"], "to 3600.0 s"),
            (["--topology", SMALL, "--vl15-depth", "0"], "from 1 to 65536"),
            (["--topology", SMALL, "--time-scale", "0"], "from 0.001 to 1000000"),
            (["--topology", SMALL, "--time-scale", "fast"], "wants a number"),
            (["--topology", SMALL, "--clients", "40000"], "from 1 to 32768"),
            (["--topology", SMALL, "--lisetn", "x"], "did you mean --listen?"),
            (["--topology", "-", "--script", "-"], "cannot both be standard input"),
            (["--topology", SMALL, "--pcap", "/tmp/./x", "--pid-file", "/tmp/x"], "are one file"),
            (["--topology", SMALL, "--listen", "s", "--pcap", "./s.lock"], "are one file"),
            (["--topology", SMALL, "--listen", "s", "--pid-file", "s.issm"], "are one file"),
            (["--topology", "fat-tree:hosts=x"], "hosts"),
    ):
        done = fabric(*words)
        says(done, USAGE, part)
        assert not part.startswith("--") or "weft: try weft fabric --help" in done.stderr


def test_bytes_that_errors_quote_are_escaped_once():
    with tap.scratch() as folder, serving(folder) as daemon:
        done = tap.run([tap.weft(), "fabric", "ctl", daemon.path, b"lonk\x80\x1b x"])
        tap.contains(done.stderr, r'"lonk\x80\x1b" stands where')


def test_wrong_command_lines_of_ctl_are_named():
    for words, part in (
            ([], "A command is missing"),
            (["/tmp/s"], "A command is missing"),
            (["--fabric", ""], "wants a name"),
            (["/tmp/s", "-", "more"], 'does not know what to do with "more"'),
            (["/tmp/s", "--json", "-"], "--json is for one of"),
            (["/tmp/s", "status\nstop"], "a command is one line"),
            (["/tmp/s", "nodes", "--json", "extra"], "with --json nothing stands behind nodes"),
            (["/tmp/s", "x" * 5000], "a command is one line"),
            (["--jsno", "status"], "did you mean --json?"),
    ):
        done = ctl(*words)
        says(done, USAGE, part, "weft: try weft fabric ctl --help")
    done = ctl("--help")
    tap.equal((done.returncode, done.stderr), (DONE, ""))
    tap.contains(done.stdout, "Usage: weft fabric ctl ")
    tap.contains(done.stdout, "weft-fabric(1)")


def test_wrong_command_lines_of_run_are_named():
    for words, part in (
            ([], "--node NAME|GUID is missing"),
            (["--node", "x"], "which program?"),
            (["--node", "x", "--", ""], "the program's name is empty"),
            (["--node", "", "true"], "wants a name"),
            (["--fabric=", "--node", "x", "true"], "wants a name"),
            (["--node", "x", "--port", "0", "true"], "at port 0 without --port"),
            (["--node", "x", "--port", "255", "true"], "from 1 to 254"),
            (["true", "--node", "x"], "--node NAME|GUID is missing"),
    ):
        says(weft("run", *words), USAGE, part, "weft: try weft run --help")


def test_what_cannot_be_served_is_said_and_nothing_is_left():
    with tap.scratch() as folder:
        path = pathlib.Path(folder)
        listen = ["--listen", path / "s"]
        (path / "wrong.script").write_text("# all is well\n\nnode host-00001 daed\n")
        (path / "no-node.topo").write_text("Unable to open the port\n")
        (path / "file").write_text("precious\n")
        says(fabric("--topology", path / "no.topo", *listen), FAILED, "no.topo",
             "weft: try the name of a file")
        says(fabric("--topology", path / "no-node.topo", *listen), FAILED, "no-node.topo:1")
        says(fabric("--topology", SMALL, "--script", path / "no.script", *listen), FAILED,
             "cannot read the script", "No such file")
        says(fabric("--topology", SMALL, "--script", path, *listen), FAILED, "Is a directory")
        says(fabric("--topology", SMALL, "--script", path / "wrong.script", *listen), FAILED,
             f"{path}/wrong.script:3: ")
        says(fabric("--topology", SMALL, "--listen", path / "no" / "s"), FAILED, f"{path}/no")
        says(fabric("--topology", SMALL, "--listen", path / ("x" * 110)), FAILED, "at most 107")
        says(fabric("--topology", SMALL, "--listen", path / "file"), FAILED, f"{path}/file")
        says(fabric("--topology", SMALL, "--pcap", path / "no" / "p", *listen), FAILED,
             "cannot write the capture")
        says(fabric("--topology", SMALL, "--pid-file", path / "no" / "p", *listen), FAILED,
             "cannot write the process id")
        tap.equal((path / "file").read_text(), "precious\n")
        tap.equal(sorted(p.name for p in path.iterdir()), ["file", "no-node.topo", "wrong.script"])


def test_scripts_and_topologies_come_from_standard_input_too():
    with tap.scratch() as folder:
        says(fabric("--topology", SMALL, "--script", "-", "--listen", f"{folder}/s",
                    stdin="\n\nno such thing\n"), FAILED, "standard input:3: ")
        topology = weft("topology", "generate", SMALL).stdout
        done = fabric("--topology", "-", "--listen", f"{folder}/s", "--daemon", stdin=topology)
        tap.succeeds(done)
        tap.contains(done.stdout, "36 nodes")
        tap.succeeds(ctl(f"{folder}/s", "stop"))


def alive(path, name):
    document = json.loads(ctl(path, "nodes", "--json").stdout)
    return next(node["alive"] for node in document["nodes"] if node["name"] == name)


def test_a_script_is_played_by_the_fabrics_own_clock():
    with tap.scratch() as folder:
        script = pathlib.Path(folder, "script")
        script.write_text("node host-00002 dead\nat 1h node host-00001 dead\n"
                          "at 8760h node host-00003 dead\n")
        with serving(folder, "--script", script, "--time-scale", 36000, "--up", "--keep-lids",
                     "--seed", 7, "--hop-latency", "1us", "--agent-time", "2us", "--training",
                     "1ms", "--vl15-depth", 4, "--clients", 3) as daemon:
            assert not alive(daemon.path, "host-00002")
            wait_until(lambda: not alive(daemon.path, "host-00001"), "an hour has passed")
            assert alive(daemon.path, "host-00003")
            done = ctl(daemon.path, "faults")
            lines = done.stdout.splitlines()
            tap.equal(lines[:2], ['node "host-00001" dead', 'node "host-00002" dead'])
            assert re.fullmatch(r"in \d+(\.\d+)?s \(cancel 2\): at 8760h node host-00003 dead",
                                lines[2]), lines
            tap.equal(len(lines), 3)
            says(ctl(daemon.path, "cancel", "1"), FAILED, "no line of number 1 waits")
            tap.succeeds(ctl(daemon.path, "cancel", "2"))
            status = json.loads(ctl(daemon.path, "status", "--json").stdout)
            tap.equal((status["faults"], status["scheduled"]), (2, 0))
            tap.equal(end(daemon)[0], DONE)


def test_it_says_when_it_listens_and_sums_up_at_the_end():
    with tap.scratch() as folder:
        for number in (signal.SIGTERM, signal.SIGINT):
            with serving(folder) as daemon:
                tap.equal(daemon.first_line, "fabric: 36 nodes, 48 links; listens on "
                          f"{daemon.path}; process {daemon.pid}\n")
                assert stat.S_ISSOCK(daemon.path.stat().st_mode)
                tap.equal(stat.S_IMODE(daemon.path.stat().st_mode), 0o600)
                tap.succeeds(ctl(daemon.path, "status"))
                exit_code, out, err = end(daemon, number)
                tap.equal((exit_code, err), (DONE, ""))
                tap.contains(out, "fabric: served 1 client for ")
                tap.contains(out, "fabric: dropped: 0 lost, 0 at links that were down")
            tap.equal(os.listdir(folder), [])


def test_a_second_fabric_on_a_socket_is_refused_and_harms_nothing():
    with tap.scratch() as folder:
        capture = pathlib.Path(folder, "p")
        with serving(folder, "--pcap", capture) as daemon:
            before = capture.read_bytes()
            says(fabric("--topology", SMALL, "--listen", daemon.path, "--pcap", capture), FAILED,
                 str(daemon.path))
            tap.succeeds(ctl(daemon.path, "status"))
            tap.equal(capture.read_bytes()[:len(before)], before)
            tap.equal(end(daemon)[0], DONE)


def test_a_stale_socket_is_replaced():
    with tap.scratch() as folder:
        with serving(folder) as daemon:
            daemon.kill()
            daemon.wait(timeout=DEADLINE_S)
            assert daemon.path.exists()
        says(ctl(f"{folder}/s", "status"), FAILED, "no fabric daemon listens")
        with serving(folder) as daemon:
            tap.contains(daemon.first_line, "listens on")
            tap.succeeds(ctl(daemon.path, "status"))
            tap.equal(end(daemon)[0], DONE)
        tap.equal(os.listdir(folder), [])


def test_permissions_are_those_that_were_asked_for():
    with tap.scratch() as folder:
        os.chmod(folder, 0o755)
        with serving(folder, "--mode", "0640") as daemon:
            tap.equal(stat.S_IMODE(daemon.path.stat().st_mode), 0o640)
            # Only root can become somebody else, and root itself may do everything.
            if os.geteuid() == 0:
                says(ctl(daemon.path, "status", user=NOBODY, group=NOBODY), FAILED,
                     "no permission", "mode")
            tap.equal(end(daemon)[0], DONE)


def test_in_the_background_it_listens_when_the_command_returns():
    with tap.scratch() as folder:
        pid_file = pathlib.Path(folder, "pid")
        words = ["--topology", SMALL, "--listen", f"{folder}/s", "-d", "--pid-file", pid_file]
        done = fabric(*words)
        tap.equal((done.returncode, done.stderr), (DONE, ""))
        pid = int(pid_file.read_text())
        tap.equal(done.stdout,
                  f"fabric: 36 nodes, 48 links; listens on {folder}/s; process {pid}\n")
        try:
            tap.succeeds(ctl(f"{folder}/s", "status"))
            tap.equal(os.getsid(pid), pid)
            says(fabric(*words), FAILED, f"{folder}/s")
            tap.equal(int(pid_file.read_text()), pid)
            tap.succeeds(ctl(f"{folder}/s", "stop"))
            wait_until(lambda: not lives(pid), "the fabric has ended")
            tap.equal(os.listdir(folder), [])
        finally:
            if lives(pid):
                os.kill(pid, signal.SIGKILL)


def test_in_the_background_failures_are_the_commands():
    with tap.scratch() as folder:
        says(fabric("--topology", f"{folder}/no.topo", "--daemon"), FAILED, "no.topo")
        says(fabric("--topology", "fat-tree:hosts=x", "--daemon"), USAGE, "hosts")
        says(fabric("--topology", SMALL, "--daemon", "--listen", f"{folder}/no/s"), FAILED,
             f"{folder}/no")
        tap.equal(os.listdir(folder), [])


def test_the_status_line_is_on_terminals_only():
    with tap.scratch() as folder:
        master, slave = pty.openpty()
        with serving(folder, stderr=slave) as daemon:
            os.close(slave)
            seen = b""
            while b"fabric: 0 clients, 0 MAD/s, 0 drops, 0 faults, time " not in seen:
                assert select.select([master], [], [], DEADLINE_S)[0], seen
                seen += os.read(master, 4096)
            tap.equal(end(daemon)[0], DONE)
        with contextlib.suppress(OSError):
            while more := os.read(master, 4096):
                seen += more
        os.close(master)
        assert seen.endswith(b"\r\033[K"), seen
        with serving(folder) as daemon:
            tap.succeeds(ctl(daemon.path, "status"))
            tap.equal(end(daemon)[2], "")


def test_a_capture_is_a_capture():
    with tap.scratch() as folder:
        capture = pathlib.Path(folder, "p")
        capture.write_bytes(b"x" * 100000)
        with serving(folder, "--pcap", capture) as daemon:
            tap.equal(end(daemon)[0], DONE)
        magic, = struct.unpack("=I", capture.read_bytes()[:4])
        assert magic in (0xa1b2c3d4, 0xa1b23c4d), hex(magic)
        assert capture.stat().st_size < 1000, "older bytes are still in it"


def test_a_capture_that_cannot_be_written_is_said():
    with tap.scratch() as folder:
        for words in ([], ["--daemon"]):
            done = fabric("--topology", SMALL, "--listen", pathlib.Path(folder, "s"), "--pcap",
                          "/dev/full", *words)
            says(done, FAILED, "cannot write the capture /dev/full: No space left on device")


def test_a_capture_that_fails_is_said_when_it_does_and_in_the_status():
    with tap.scratch() as folder:
        pipe = pathlib.Path(folder, "p")
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        with serving(folder, "--up", "--pcap", pipe) as daemon:
            status = json.loads(ctl(daemon.path, "status", "--json").stdout)
            tap.equal((status["pcap"], "pcap_error" in status), ("on", False))
            os.close(reader)
            tap.succeeds(weft("partitions", "matrix", "--fabric", daemon.path, "--node",
                              "host-00001"))

            def failed():
                return json.loads(ctl(daemon.path, "status", "--json").stdout)["pcap"] == "failed"
            wait_until(failed, "a capture that has failed")
            text = ctl(daemon.path, "status").stdout
            tap.contains(text, "\npcap failed\npcap_error Broken pipe\n")
            said = daemon.stderr.readline()
            tap.contains(said, f"weft: the capture {pipe} ends here: cannot write it: Broken pipe "
                         "(its reader has gone); the fabric goes on")
            exit_code, _, err = end(daemon)
        tap.equal(exit_code, PART, "exit code")
        tap.contains(err, f"weft: the capture {pipe} is not complete: Broken pipe", "stderr")


def test_doubtful_topologies_are_served_and_said():
    with tap.scratch() as folder:
        topology = pathlib.Path(folder, "two.topo")
        topology.write_text('Switch 4 "S-0000000000000001" # "a" base port 0 lid 1 lmc 0\n\n'
                            'Switch 4 "S-0000000000000002" # "b" base port 0 lid 1 lmc 0\n')
        with serving(folder, topology=topology) as daemon:
            exit_code, _, err = end(daemon)
        tap.equal(exit_code, DONE)
        assert re.search(f"weft: {re.escape(str(topology))}: [0-9]+ problems?; weft topology lint "
                         f"{re.escape(str(topology))} tells which\n", err), err


def test_a_capture_into_a_pipe_that_nobody_reads_is_refused():
    with tap.scratch() as folder:
        pipe = pathlib.Path(folder, "p")
        os.mkfifo(pipe)
        says(fabric("--topology", SMALL, "--listen", pathlib.Path(folder, "s"), "--pcap", pipe),
             FAILED, f"nobody reads the pipe {pipe}", "start its reader first")
        tap.equal(os.listdir(folder), ["p"])


def test_queries_answer_people_and_programs():
    with tap.scratch() as folder, serving(folder, "--up") as daemon:
        nodes = ctl(daemon.path, "nodes")
        tap.succeeds(nodes)
        for name in ("host-00001", "host-00016", "leaf-0001"):
            tap.contains(nodes.stdout, name, "nodes")
        for query in ("status", "nodes", "clients", "faults"):
            tap.succeeds(ctl(daemon.path, query))
            for words in ([daemon.path, query, "--json"], ["--json", daemon.path, query],
                          ["--fabric", daemon.path, "--json", query]):
                done = ctl(*words)
                tap.succeeds(done)
                tap.equal(json.loads(done.stdout)["schema"], f"weft.fabric.{query}/1")
        document = json.loads(ctl(daemon.path, "nodes", "--json").stdout)
        tap.equal(len(document["nodes"]), 36)
        tap.equal(end(daemon)[0], DONE)


def test_a_port_is_told_as_its_host_sees_it():
    with tap.scratch() as folder, serving(folder, "--up") as daemon:
        def told(*words):
            done = ctl(daemon.path, "port", *words, "--json")
            tap.succeeds(done)
            document = json.loads(done.stdout)
            tap.equal(document["schema"], "weft.fabric.port/1")
            return document

        host = told("host-00001")
        tap.equal(told("host-00001/1"), host)
        tap.equal({name: host[name] for name in ("node", "port", "lmc", "sm_lid", "state",
                                                 "physical_state", "width", "gid_prefix", "pkeys",
                                                 "pkey_entries", "reregisters")},
                  {"node": "host-00001", "port": 1, "lmc": 0, "sm_lid": 0, "state": "Active",
                   "physical_state": "LinkUp", "width": "4x", "gid_prefix": "0xfe80000000000000",
                   "pkeys": 1, "pkey_entries": 128, "reregisters": 0})
        assert host["lid"] > 0 and host["rate_gbps"] > 0, host
        text = ctl(daemon.path, "port", "host-00001")
        tap.succeeds(text)
        names = [line.split(" ", 1)[0] for line in text.stdout.splitlines()]
        tap.equal(names, [name for name in host if name != "schema"])
        tap.contains(text.stdout, 'node "host-00001"\nguid 0x')
        for words in (("pkey", "host-00001/1", "5", "0x8001"), ("link", "host-00001/1", "down")):
            tap.succeeds(ctl(daemon.path, *words))
        host = told(host["port_guid"])
        tap.equal((host["pkeys"], host["state"], host["physical_state"]), (2, "Down", "Polling"))
        tap.equal(told("leaf-0001")["port"], 0)
        tap.equal(told("leaf-0001/3")["port"], 3)
        tap.succeeds(ctl(daemon.path, "name", "host-00002", "a host/7"))
        tap.equal(told('"a host/7"')["node"], "a host/7")
        for words, exit_code, part in ((["host-00001/2"], FAILED, "its ports are 1 to 1"),
                                       (["nobody"], FAILED, 'there is no node "nobody"'),
                                       (["leaf-0001/1", "up"], USAGE, "line's end")):
            says(ctl(daemon.path, "port", *words), exit_code, part)
        says(ctl(daemon.path, "port"), USAGE, "a node is expected")
        says(ctl(daemon.path, "port", "--json"), USAGE, "--json is for one of")
        tap.equal(end(daemon)[0], DONE)


def test_the_socket_is_said_or_in_the_environment():
    with tap.scratch() as folder, serving(folder, name="weft-fabric.sock") as daemon:
        tap.succeeds(ctl("weft-fabric.sock", "status", cwd=folder))
        tap.succeeds(ctl("status", env={"WEFT_FABRIC": str(daemon.path)}))
        tap.succeeds(ctl("status", env={"XDG_RUNTIME_DIR": folder}))
        tap.succeeds(ctl("--fabric", daemon.path, "status", env={"WEFT_FABRIC": "/nowhere"}))
        says(ctl("status", env={"WEFT_FABRIC": "/nowhere", "XDG_RUNTIME_DIR": folder}), FAILED,
             "no fabric daemon listens at /nowhere")
        tap.equal(end(daemon)[0], DONE)


def test_wrong_commands_are_named():
    with tap.scratch() as folder, serving(folder) as daemon:
        for words, part in ((["nonsense"], "nonsense"), (["node", "host-00001", "daed"], "daed")):
            says(ctl(daemon.path, *words), USAGE, part)
        says(ctl(daemon.path, "node", "host-0001", "dead"), FAILED, "host-0001", "did you mean")
        for wrong, meant in (("stats", "status"), ("node", None), ("client", "clients"),
                             ("sotp", "stop"), ("ports", "port")):
            done = ctl(daemon.path, wrong)
            says(done, USAGE)
            tap.equal(f'there is no command "{wrong}"; did you mean {meant}?' in done.stderr,
                      meant is not None, done.stderr)
        for number in ("-1", "-1.5"):
            says(ctl(daemon.path, "counter", "host-00001/1", "symbol_errors", "add", number), USAGE,
                 f'"{number}" stands where a whole number is expected')
        tap.equal(end(daemon)[0], DONE)


def test_commands_from_standard_input_stop_at_the_first_wrong_one():
    with tap.scratch() as folder, serving(folder) as daemon:
        done = ctl(daemon.path, "-", stdin="# two\n\nnode leaf-0001 dead\n  node host-00002 dead\n")
        tap.equal((done.returncode, done.stderr), (DONE, ""))
        done = ctl(daemon.path, "-", stdin="node host-00001 dead\nnonsense\nnode host-00003 dead\n")
        says(done, PART, "standard input:2: ", "nonsense")
        says(ctl(daemon.path, "-", stdin="nonsense\n"), FAILED, "standard input:1: ")
        says(ctl(daemon.path, "-", stdin="x" * 5000), FAILED, "standard input:1: longer than")
        document = json.loads(ctl(daemon.path, "nodes", "--json").stdout)
        dead = [node["name"] for node in document["nodes"] if not node["alive"]]
        tap.equal(sorted(dead), ["host-00001", "host-00002", "leaf-0001"])
        tap.equal(end(daemon)[0], DONE)


def test_names_with_blanks_are_names():
    with tap.scratch() as folder:
        topology = pathlib.Path(folder, "blank.topo")
        topology.write_text('Switch 4 "S-0000000000000001" # "the leaf" base port 0 lid 1 lmc 0\n'
                            '[1] "H-0000000000000002"[1] # "host one" lid 2 4xEDR\n\n'
                            'Ca 1 "H-0000000000000002" # "host one"\n'
                            '[1](3) "S-0000000000000001"[1] # lid 2 lmc 0 "the leaf" lid 1 4xEDR\n')
        with serving(folder, topology=topology) as daemon:
            for words in (["node", "host one", "dead"], ["link", "the leaf/1", "down"],
                          ["link", '"host one"/1', "up"], ['link "the leaf"/1 down'],
                          ["name", "host one", "back\\slash one"],
                          ["node", "back\\slash one", "alive"]):
                tap.succeeds(ctl(daemon.path, *words))
            tap.succeeds(weft("run", "--fabric", daemon.path, "--node", "the leaf", "true"))
            tap.equal(end(daemon)[0], DONE)


def environment_of(done):
    tap.succeeds(done)
    return dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)


def test_run_gives_a_program_its_node():
    with tap.scratch() as folder, serving(folder, "--up") as daemon:
        env = environment_of(weft("run", "--fabric", "s", "--node", "host-00002", "--", "env",
                                  cwd=folder, env={"LD_LIBRARY_PATH": "/before"}))
        tap.equal(env["WEFT_FABRIC"], str(daemon.path))
        assert re.fullmatch("0x[0-9a-f]{16}", env["WEFT_NODE"]), env["WEFT_NODE"]
        assert "WEFT_PORT" not in env, env["WEFT_PORT"]
        first, rest = env["LD_LIBRARY_PATH"].split(":", 1)
        tap.equal(rest, "/before")
        assert pathlib.Path(first, "libibumad.so.3").exists(), first
        by_guid = environment_of(weft("run", "--fabric", daemon.path, "--node", env["WEFT_NODE"],
                                      "--port", "1", "env"))
        tap.equal((by_guid["WEFT_NODE"], by_guid["WEFT_PORT"]), (env["WEFT_NODE"], "1"))
        on_switch = environment_of(weft("run", "--fabric", daemon.path, "--node", "leaf-0001",
                                        "env", env={"WEFT_PORT": "7"}))
        assert "WEFT_PORT" not in on_switch, on_switch["WEFT_PORT"]
        tap.equal(end(daemon)[0], DONE)


def test_run_ends_as_its_program_does():
    with tap.scratch() as folder, serving(folder) as daemon:
        script = pathlib.Path(folder, "script")
        script.write_text('#!/bin/sh\necho "$1 on $WEFT_NODE"\nexit 7\n')
        run = ["run", "--fabric", daemon.path, "--node", "host-00001"]
        says(weft(*run, script), 126, "cannot be started: Permission denied")
        script.chmod(0o755)
        done = weft(*run, script, "--node")
        tap.equal((done.returncode, done.stderr), (7, ""))
        tap.contains(done.stdout, "--node on 0x")
        script.write_text("#!/no/such/interpreter\n")
        says(weft(*run, script), 127, "its interpreter is not there")
        says(weft(*run, "no-such-program"), 127, "no-such-program: there is no such program")
        says(weft(*run, "opensm", env={"PATH": folder}), 127, "opensm: there is no such program",
             "weft: try /usr/sbin/opensm")
        says(weft(*run, f"{folder}/none"), 127, "there is no such program")
        tap.equal(weft(*run, "sh", "-c", "kill -9 $$").returncode, -signal.SIGKILL)
        tap.equal(end(daemon)[0], DONE)


def test_run_says_what_is_not_there():
    with tap.scratch() as folder:
        says(weft("run", "--fabric", f"{folder}/s", "--node", "host-00001", "true"), FAILED,
             "no fabric daemon listens", "weft fabric --topology")
        with serving(folder) as daemon:
            run = ["run", "--fabric", daemon.path, "--node"]
            says(weft(*run, "host-0001", "true"), FAILED, "host-0001", "did you mean")
            says(weft(*run, "0x123", "true"), FAILED, "0x123")
            says(weft(*run, "host-00001", "--port", 2, "true"), FAILED, "port 2")
            says(weft(*run, "leaf-0001", "--port", 1, "true"), FAILED, "port 1")
            tap.equal(end(daemon)[0], DONE)
        regular = pathlib.Path(folder, "file")
        regular.write_text("")
        says(weft("run", "--fabric", regular, "--node", "host-00001", "true"), FAILED,
             f"{regular} is a file")


def test_a_peer_of_another_version_is_named():
    with tap.scratch() as folder, \
            socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        path = f"{folder}/s"
        listener.bind(path)
        listener.listen()
        command = [tap.weft(), "run", "--fabric", path, "--node", "host-00001", "true"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as program:
            connection, _ = listener.accept()
            with connection:
                head = bytearray(connection.recv(65536)[:8])
                head[4:8] = struct.pack("=HH", 99, 32)
                connection.send(bytes(head) + bytes(24))
                _, err = program.communicate(timeout=DEADLINE_S)
        tap.equal(program.returncode, FAILED)
        tap.contains(err, "version", "stderr")


tap.main(globals())
