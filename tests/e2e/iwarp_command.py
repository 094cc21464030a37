#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""weft iwarp as a user runs it: ping, listen, connect and perf, with each other and beside peers
that do wrong."""
import json
import os
import re
import signal
import socket
import subprocess
import threading

import iwarp_lab
import iwarp_peer
import tap

DEADLINE_S = 60


def iwarp(*words, **options):
    return tap.run([tap.weft(), "iwarp", *map(str, words)], timeout=DEADLINE_S, **options)


def free_port():
    """A port where nobody listens."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


class Listener(iwarp_lab.Weft):
    """A subcommand that listens; `port` is where."""

    def __init__(self, *words, address="127.0.0.1"):
        super().__init__(["iwarp", *words, "--port", "0", "--bind", address])
        line = self.wait_for(self.line, "a line that begins with: listening on")
        self.port = int(line.rpartition(":")[2])

    def line(self):
        return next((line for text in self.said() for line in text.splitlines(keepends=True)
                     if line.startswith("listening on ") and line.endswith("\n")), None)


def test_a_wrong_command_line_says_what_is_wrong():
    for words, said in [
            ([], "listen, connect, ping or perf is missing"),
            (["pong"], 'did you mean "ping"?'),
            (["ping"], "ping wants the address of a peer, --server or --loopback"),
            (["perf"], "perf wants the address of a peer, --server or --loopback"),
            (["ping", "127.0.0.1", "--port", "65536"], "--port"),
            (["ping", "127.0.0.1", "--port", "0"], "for the side that listens"),
            (["ping", "127.0.0.1", "--size", "25"], "a ping has 26 to 65535 bytes"),
            (["ping", "127.0.0.1", "--size", "65536"], "a ping has 26 to 65535 bytes"),
            (["ping", "127.0.0.1", "--private", "abc"], "pairs of hexadecimal digits"),
            (["ping", "127.0.0.1", "--private", "00" * 509], "508 bytes at most"),
            (["ping", "127.0.0.1", "--mpa", "3"], "--mpa"),
            (["ping", "127.0.0.1", "--mpa", "1", "--p2p", "write"], "--p2p needs MPA revision 2"),
            (["ping", "127.0.0.1", "--p2p", "read,none"], "wants none, or one or more of write"),
            (["ping", "127.0.0.1", "--p2p", "read,"], "wants none, or one or more of write"),
            (["ping", "127.0.0.1", "--p2p", ""], "wants none, or one or more of write"),
            (["ping", "127.0.0.1", "--reject", "00"], "--reject is for the side that listens"),
            (["ping", "127.0.0.1", "--tcp"], "iwarp ping has no --tcp"),
            (["ping", "127.0.0.1", "--crc", "maybe"], "--crc"),
            (["ping", "127.0.0.1", "127.0.0.2"], "127.0.0.2"),
            (["listen", "--count", "1"], "iwarp listen has no --count"),
            (["perf", "--loopback", "--sizes", "8,x"], "--sizes"),
            (["perf", "--loopback", "--server"], "--loopback has both sides"),
            (["ping", "300.1.1.1"], "no address"),
            (["ping", "127.0.0.1:7174"], "a port is given as --port 7174"),
            (["ping", "[::1]:7174"], "a port is given as --port 7174"),
            (["ping", "127.0.0.1", "--bind", "::1"], "127.0.0.1 has no IPv6 address"),
            (["ping", "--bind", "127.0.0.1", "::1"], "::1 has no IPv4 address")]:
        done = iwarp(*words)
        tap.equal(done.returncode, 2, f"exit code of {words}: {done.stderr}")
        tap.contains(done.stderr, said, f"stderr of {words}")
        tap.equal(done.stdout, "", f"stdout of {words}")


def test_pings_over_every_option_come_back_and_both_sides_agree():
    for options, agreed in [
            ([], {"mpa": 2, "crc": False, "rtr": "none", "ird": 1, "ord": 1}),
            (["--crc", "on"], {"mpa": 2, "crc": True, "rtr": "none"}),
            (["--crc", "off"], {"mpa": 2, "crc": False, "rtr": "none"}),
            (["--mpa", "1"], {"mpa": 1, "crc": False, "rtr": "none"}),
            (["--mpa", "1", "--crc", "on"], {"mpa": 1, "crc": True, "rtr": "none"}),
            (["--p2p", "write"], {"mpa": 2, "rtr": "write"}),
            (["--p2p", "read", "--crc", "on"], {"mpa": 2, "crc": True, "rtr": "read"}),
            (["--p2p", "send"], {"mpa": 2, "rtr": "send"}),
            (["--p2p", "send,read"], {"mpa": 2, "rtr": "read"}),
            (["--p2p", "none"], {"mpa": 2, "rtr": "none"})]:
        with iwarp_lab.Server(count=3) as server:
            client = iwarp_lab.ping(server.port, *options, count=3).right(3)
            served = server.wait().must().json
        tap.equal((served["schema"], served["role"], served["ok"]),
                  ("weft.iwarp.ping/1", "server", True))
        tap.equal([(c["pings"], c["right"], c["size"]) for c in served["clients"]], [(3, 3, 64)])
        for side in (client.json["connection"], served["clients"][0]["connection"]):
            tap.equal({name: side[name] for name in agreed}, agreed, f"terms with {options}")


def test_pings_of_all_sizes_come_back():
    with iwarp_lab.Server() as server:
        for size in (26, 27, 63, 1000, 1460, 4096, 32768, 65534, 65535):
            done = iwarp_lab.ping(server.port, size=size, count=3, crc="on").right(3)
            tap.equal(done.json["size"], size)
        served = server.end().must().json
    tap.equal([c["size"] for c in served["clients"]],
              [26, 27, 63, 1000, 1460, 4096, 32768, 65534, 65535])


def test_json_of_a_client_has_the_documented_members():
    with iwarp_lab.Server("--private", "0a0b") as server:
        done = iwarp_lab.ping(server.port, count=2, private="00ff").right(2).json
        served = server.end().must().json
    tap.equal(sorted(done), ["asked", "connection", "ok", "pings", "right", "role",
                             "round_trip_ns", "schema", "size"])
    tap.equal((done["schema"], done["role"], done["asked"]), ("weft.iwarp.ping/1", "client", 2))
    tap.equal(sorted(done["connection"]), ["crc", "ird", "local", "mpa", "mulpdu", "ord",
                                           "private", "remote", "rtr"])
    times = done["round_trip_ns"]
    assert 0 < times["min"] <= times["average"] <= times["max"], times
    tap.equal(done["connection"]["private"], "0a0b")
    tap.equal(served["clients"][0]["connection"]["private"], "00ff")


def test_text_tells_terms_and_times():
    with Listener("ping", "--server", "--count", "2", "--verbose") as server:
        done = iwarp("ping", "127.0.0.1", "--port", server.port, "--count", 2, "--verbose",
                     "--private", "68656c6c6f")
        tap.succeeds(done)
        said = server.wait().must().stdout
    tap.contains(done.stdout, "MPA revision 2, CRC off, IRD 1, ORD 1, RTR none, MULPDU ")
    tap.contains(done.stdout, "2 pings of 64 bytes, 2 right; round trip min ")
    tap.equal(len(re.findall(r"^ping [12]: 64 bytes, ", done.stdout, flags=re.M)), 2)
    tap.contains(said, 'private data 68656c6c6f "hello"')
    tap.contains(said, "2 pings of 64 bytes, 2 right")
    assert said.endswith("1 client, 1 of them right\n"), said


def test_both_sides_on_this_machine():
    done = iwarp("ping", "--loopback", "--count", 3, "--crc", "on", "--json")
    tap.succeeds(done)
    found = json.loads(done.stdout)
    tap.equal((found["right"], found["connection"]["crc"]), (3, True))


def test_ipv6_is_as_good():
    with Listener("ping", "--server", "--count", "2", address="::1") as server:
        done = iwarp("ping", "::1", "--port", server.port, "--count", 2)
        tap.succeeds(done)
        tap.contains(done.stdout, f"with [::1]:{server.port}: ")
        server.wait().must()


def test_a_server_with_count_ends_with_the_first_client_that_did_so_many():
    with iwarp_lab.Server(count=5) as server:
        iwarp_lab.ping(server.port, count=2).right(2)
        iwarp_lab.ping(server.port, count=5).right(5)
        served = server.wait().must(iwarp_lab.PART).json
    tap.equal([c["pings"] for c in served["clients"]], [2, 5])
    tap.equal([c["ok"] for c in served["clients"]], [False, True])


def test_a_persistent_server_goes_on():
    with iwarp_lab.Server("--persistent", count=2) as server:
        for _ in range(3):
            iwarp_lab.ping(server.port, count=2).right(2)
        served = server.end().must().json
    tap.equal([c["ok"] for c in served["clients"]], [True] * 3)


def test_clients_at_the_same_time_are_all_served():
    with iwarp_lab.Server() as server:
        clients = [iwarp_lab.client(server.port, count=20) for _ in range(8)]
        try:
            for client in clients:
                client.wait().right(20)
        finally:
            for client in clients:
                client.kill()
                client.folder.cleanup()
        served = server.end().must().json
    tap.equal([c["right"] for c in served["clients"]], [20] * 8)


def test_a_reject_brings_its_private_data():
    with iwarp_lab.Server(reject="6e6f21", count=2) as server:
        done = iwarp_lab.ping(server.port).failed('rejected the connection; its private data: '
                                                  '6e6f21 "no!"')
        tap.equal((done.json["rejected"], done.json["ok"], done.json["connection"]["private"]),
                  (True, False, "6e6f21"))
        again = iwarp("ping", "127.0.0.1", "--port", server.port, "--private", "31")
        tap.equal(again.returncode, 3)
        tap.equal(server.wait().must().json["rejected"], 2)


def test_markers_are_refused():
    with iwarp_lab.Server() as server:
        done = iwarp("ping", "127.0.0.1", "--port", server.port, "--markers")
        tap.equal(done.returncode, 3)
        tap.contains(done.stderr, "the peer rejected the connection; its private data: none")
        tap.contains(done.stderr, "try without --markers")
        iwarp_lab.ping(server.port, count=1).right(1)


def test_nobody_there_is_told():
    port = free_port()
    done = iwarp("ping", "127.0.0.1", "--port", port)
    tap.equal(done.returncode, 3)
    tap.contains(done.stderr, f"weft: 127.0.0.1:{port}: no connection: ")
    tap.contains(done.stderr, "weft: try to start weft iwarp ping --server or rping -s there")
    found = json.loads(iwarp("ping", "127.0.0.1", "--port", port, "--json").stdout)
    tap.equal((found["ok"], found["connection"], found["pings"]), (False, None, 0))


def test_a_port_that_is_taken_is_told():
    with iwarp_lab.Server() as server:
        done = iwarp("ping", "--server", "--bind", "127.0.0.1", "--port", server.port)
    tap.equal(done.returncode, 3)
    tap.contains(done.stderr, f"weft: cannot listen on 127.0.0.1:{server.port}: ")
    tap.contains(done.stderr, "weft: try another --port")


def test_a_peer_that_never_answers_is_given_up():
    with socket.create_server(("127.0.0.1", 0)) as sock:
        done = iwarp("ping", "127.0.0.1", "--port", sock.getsockname()[1], "--timeout", "300ms")
    tap.equal(done.returncode, 3)
    tap.contains(done.stderr, "in time")
    tap.contains(done.stderr, "a longer --timeout")


def beside_peer(serve, *options):
    """weft's client against serve(stream) of the independent peer; what weft said."""
    with iwarp_peer.Listener() as listener:
        def run(listener):
            with listener.accept() as stream:
                serve(stream)
        with iwarp_lab.peers(listener, run):
            return iwarp("ping", "127.0.0.1", "--port", listener.port, "--count", 2, *options)


def ping_server_that_changes(change):
    """rping's server, which writes change(text) back."""
    def serve(stream):
        try:
            while True:
                offset, stag, size = iwarp_peer.advert(stream.next_send())
                text = iwarp_peer.Region(iwarp_peer.SERVER_BASE, bytearray(size))
                stream.read(stag, offset, text, iwarp_peer.SERVER_STAG)
                stream.send(bytes(16))
                offset, stag, size = iwarp_peer.advert(stream.next_send())
                stream.write(stag, offset, change(bytes(text.memory)))
                stream.send(bytes(16))
        except iwarp_peer.Closed:
            pass
    return serve


def test_wrong_bytes_are_found():
    done = beside_peer(ping_server_that_changes(lambda text: text[:40] + b"!" + text[41:]))
    tap.equal(done.returncode, 1, done.stderr)
    tap.contains(done.stderr, "weft: ping 1: byte 40 of 64 came back as 0x21, not as 0x")
    tap.contains(done.stdout, "2 pings of 64 bytes, 0 right")


def test_missing_bytes_are_found():
    done = beside_peer(ping_server_that_changes(lambda text: text[:-2]), "--json")
    tap.equal(done.returncode, 1, done.stderr)
    found = json.loads(done.stdout)
    tap.equal((found["ok"], found["pings"], found["right"]), (False, 2, 0))


def test_a_peer_that_speaks_something_else_is_told():
    def serve(stream):
        stream.next_send()
        stream.send(b"hello")
        stream.until_end()
    done = beside_peer(serve)
    tap.equal(done.returncode, 3)
    tap.contains(done.stderr, "the peer sent 5 bytes where rping's messages have 16")


def test_a_terminate_is_told_in_words():
    def serve(stream):
        stream.next_send()
        stream.terminate(1, 2, 2)
    done = beside_peer(serve)
    tap.equal(done.returncode, 3)
    tap.contains(done.stderr, "the peer ended it with a Terminate message: DDP, untagged buffer: ")
    tap.contains(done.stderr, "(0x1202)")


def test_a_reset_is_told():
    def serve(stream):
        stream.next_send()
        stream.reset()
    done = beside_peer(serve)
    tap.equal(done.returncode, 3)
    tap.contains(done.stderr, "ping 1: ")


def test_a_peer_that_goes_silent_is_given_up():
    release = threading.Event()

    def serve(stream):
        stream.next_send()
        release.wait(DEADLINE_S)
    with iwarp_peer.Listener() as listener:
        def run(listener):
            with listener.accept() as stream:
                serve(stream)
        with iwarp_lab.peers(listener, run):
            done = iwarp("ping", "127.0.0.1", "--port", listener.port, "--timeout", "300ms")
            release.set()
    tap.equal(done.returncode, 3)
    tap.contains(done.stderr, "no answer within --timeout")


def test_a_server_tells_of_clients_that_do_wrong_and_serves_the_next():
    with iwarp_lab.Server() as server:
        with iwarp_peer.connect(("127.0.0.1", server.port)) as stream:
            stream.send(iwarp_peer.ADVERT.pack(0, 1, 1 << 20))
            stream.until_end()
        with iwarp_peer.connect(("127.0.0.1", server.port)) as stream:
            stream.send(b"x")
            stream.until_end()
        iwarp_lab.ping(server.port, count=1).right(1)
        served = server.end().must(iwarp_lab.PART).json
    tap.equal([c["ok"] for c in served["clients"]], [False, False, True])
    tap.contains(served["clients"][0]["error"], "offers 1048576 bytes")
    tap.contains(served["clients"][1]["error"], "1 bytes where rping's messages have 16")


def test_an_interrupted_client_sums_up():
    with iwarp_lab.Server() as server:
        with iwarp_lab.client(server.port, count=0) as client:
            server.wait_for(lambda: client.process.poll() is None and connected(server.port),
                            "a connection")
            client.process.send_signal(signal.SIGINT)
            done = client.wait()
        tap.equal(done.json["pings"], done.json["right"])
        tap.equal(done.returncode, 0 if done.json["pings"] else 1, str(done))


def connected(port):
    """Whether some connection to that port is up."""
    with open("/proc/net/tcp", encoding="ascii") as table:
        return any(f":{port:04X} 01 " in f"{line.split()[2]} {line.split()[3]} "
                   for line in table.readlines()[1:])


def test_an_interrupted_server_sums_up():
    with Listener("ping", "--server") as server:
        server.process.send_signal(signal.SIGINT)
        done = server.wait().must()
    tap.contains(done.stdout, "0 clients, 0 of them right")


def stream_both(listen_input, connect_input, listen_options=(), connect_options=()):
    """What the two sides print, as bytes, when they are given this."""
    with tap.scratch() as folder:
        path = os.path.join(folder, "input")
        with open(path, "wb") as out:
            out.write(listen_input)
        err = os.path.join(folder, "err")
        with open(path, "rb") as given, open(err, "wb") as told, subprocess.Popen(
                [tap.weft(), "iwarp", "listen", "--port", "0", "--bind", "127.0.0.1",
                 *listen_options], stdin=given, stdout=subprocess.PIPE, stderr=told) as listener:
            try:
                # The listener's output waits in its pipe, or here.
                beside = iwarp_lab.Beside(listener.stdout.read)
                port = wait_for_port(err, listener)
                caller = subprocess.run(
                    [tap.weft(), "iwarp", "connect", "127.0.0.1", "--port", port,
                     *connect_options], input=connect_input, capture_output=True,
                    timeout=DEADLINE_S, check=False)
                printed = beside.result()
                code = listener.wait(DEADLINE_S)
            finally:
                listener.kill()
        with open(err, encoding="utf-8") as told:
            said = told.read()
    tap.equal((code, caller.returncode), (0, 0), f"{said}{caller.stderr.decode()}")
    return printed, caller.stdout, said, caller.stderr.decode()


def wait_for_port(path, process):
    """The port in the line that the listener prints to a file."""
    while True:
        with open(path, encoding="utf-8") as told:
            found = re.search(r"listening on .*:(\d+)\n", told.read())
        if found:
            return found[1]
        assert process.poll() is None, "the listener ended before it listened"
        threading.Event().wait(0.01)


def test_lines_go_both_ways():
    for listening, calling in [((), ()), ((), ("--p2p", "none")), (("--crc", "on"), ()),
                               ((), ("--mpa", "1")), ((), ("--p2p", "read")),
                               (("--window", "1"), ("--window", "1")),
                               (("--size", "7"), ("--size", "65536"))]:
        printed, back, *_ = stream_both(b"one\ntwo\n\nthree", b"eins\nzwei\n", listening, calling)
        tap.equal((printed, back), (b"eins\nzwei\n", b"one\ntwo\n\nthree"),
                  f"what arrived with {listening} and {calling}")


def test_nothing_to_say_ends_in_good_order():
    printed, back, *_ = stream_both(b"", b"")
    tap.equal((printed, back), (b"", b""))


def test_much_arrives_whole_in_both_directions():
    there, back = os.urandom(20_000_000), os.urandom(5_000_001)
    printed, returned, *_ = stream_both(back, there)
    assert printed == there, "what the listener printed differs"
    assert returned == back, "what the caller printed differs"


def test_many_short_lines_do_not_overrun_the_peer():
    lines = b"".join(b"%d\n" % i for i in range(100_000))
    printed, returned, *_ = stream_both(lines, lines)
    assert printed == lines and returned == lines, "what arrived differs"


def test_without_a_window_a_peer_sees_what_was_said_and_nothing_else():
    with iwarp_peer.Listener() as listener:
        def run(listener):
            with listener.accept() as stream:
                got = [stream.next_send(), stream.next_send()]
                stream.until_end()
                return got
        with iwarp_lab.peers(listener, run) as peer:
            done = iwarp("connect", "127.0.0.1", "--port", listener.port, "--window", 0,
                         "--p2p", "none", stdin="first\nsecond\n")
        tap.equal(peer.result(), [b"first\n", b"second\n"])
    tap.succeeds(done)


def test_a_peer_that_acknowledges_too_much_stops_nothing():
    with iwarp_peer.Listener() as listener:
        def run(listener):
            with listener.accept(rtr=("write",)) as stream:
                got = [stream.next_send()]
                for data in (b"", b"", b"go\n"):
                    stream.send(data)
                got.append(stream.next_send())
                stream.send(b"", opcode=iwarp_peer.SEND_SE)
                stream.until_end()
                return got
        with iwarp_lab.peers(listener, run) as peer, subprocess.Popen(
                [tap.weft(), "iwarp", "connect", "127.0.0.1", "--port", str(listener.port)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as caller:
            caller.stdin.write(b"first\n")
            caller.stdin.flush()
            tap.equal(caller.stdout.readline(), b"go\n")
            caller.stdin.write(b"second\n")
            caller.stdin.close()
            tap.equal(peer.result(), [b"first\n", b"second\n"])
            tap.equal(caller.wait(DEADLINE_S), 0)


def test_terms_are_told_on_stderr():
    *_, listening, calling = stream_both(b"", b"", ("--private", "41"), ("--private", "4242",
                                                                        "--json"))
    tap.contains(listening, 'RTR write, ')
    tap.contains(listening, 'private data 4242 "BB"')
    document = json.loads(calling)
    tap.equal((document["schema"], document["connection"]["private"]),
              ("weft.iwarp.connection/1", "41"))


def test_a_listener_can_reject():
    with Listener("listen", "--reject", "4e4f") as listener:
        done = iwarp("connect", "127.0.0.1", "--port", listener.port)
        tap.equal(done.returncode, 3)
        tap.contains(done.stderr, 'private data: 4e4f "NO"')
        tap.contains(listener.wait().must().stderr, "rejected 127.0.0.1:")


def test_an_end_before_everything_was_sent_is_told():
    with iwarp_peer.Listener() as listener:
        def run(listener):
            with listener.accept(rtr=("write",)) as stream:
                stream.next_send()
                stream.finish()
        with iwarp_lab.peers(listener, run), subprocess.Popen(
                [tap.weft(), "iwarp", "connect", "127.0.0.1", "--port", str(listener.port)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as caller:
            caller.stdin.write(b"hello\n")
            caller.stdin.flush()
            said = caller.stderr.read().decode()
            code = caller.wait(DEADLINE_S)
    tap.equal(code, 1, said)
    tap.contains(said, "closed the connection before everything was sent; 6 bytes were sent")


def test_without_a_window_an_end_before_everything_was_sent_is_told():
    with tap.scratch() as folder, iwarp_peer.Listener() as listener:
        path = os.path.join(folder, "input")
        with open(path, "wb") as out:
            out.truncate(50_000_000)

        def run(listener):
            with listener.accept(rtr=("write",)) as stream:
                stream.next_send()
                stream.finish()
        with iwarp_lab.peers(listener, run), open(path, "rb") as given:
            done = subprocess.run([tap.weft(), "iwarp", "connect", "127.0.0.1", "--port",
                                   str(listener.port), "--window", "0", "--size", "1000"],
                                  stdin=given, capture_output=True, timeout=DEADLINE_S, check=False)
    said = done.stderr.decode()
    tap.equal(done.returncode, 1, said)
    tap.contains(said, "closed the connection before everything was sent")


def test_perf_measures_both_ends_on_this_machine():
    done = iwarp("perf", "--loopback", "--sizes", "1,64,70000", "--seconds", "0.01", "--tcp",
                 "--connections", 20, "--idle", 50, "--json")
    tap.succeeds(done)
    found = json.loads(done.stdout)
    tap.equal(found["schema"], "weft.iwarp.perf/1")
    tap.equal([(f["bytes"], f["operation"]) for f in found["figures"]],
              [(size, name) for size in (1, 64, 70000)
               for name in ("send", "write", "read", "tcp")])
    for figure in found["figures"]:
        assert 0 < figure["p50_ns"] <= figure["p99_ns"] and figure["bytes_per_s"] > 0, figure
        tap.equal("time_to_tcp" in figure, figure["operation"] in ("send", "write"))
    assert found["connections"]["count"] == 20 and found["connections"]["tcp_per_s"] > 0
    tap.equal((found["idle"]["count"], found["idle"]["server"]["qps"]), (50, 51))


def test_perf_measures_a_server():
    with Listener("perf", "--server") as server:
        for crc in ("off", "on"):
            done = iwarp("perf", "127.0.0.1", "--port", server.port, "--sizes", "8,1000",
                         "--seconds", "0.01", "--crc", crc)
            tap.succeeds(done)
            tap.contains(done.stdout, f"CRC {crc}, ")
            tap.equal(re.findall(r"^ *(\d+) (send|write|read) ", done.stdout, flags=re.M),
                      [(size, name) for size in ("8", "1000")
                       for name in ("send", "write", "read")])
        server.end().must()


def test_perf_and_ping_do_not_take_each_other_for_their_kind():
    with Listener("ping", "--server") as server:
        done = iwarp("perf", "127.0.0.1", "--port", server.port)
        tap.equal(done.returncode, 3)
        tap.contains(done.stderr, "speaks another protocol than weft iwarp perf")
        tap.contains(server.end().must(iwarp_lab.PART).stdout,
                     ": no ping\n1 client, 0 of them right")


tap.main(globals())
