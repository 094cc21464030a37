# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""weft is the client, the kernel's rping the server."""
import tap

SIZES = (26, 64, 4096, 65535)


def agreed(done, **wanted):
    connection = done.json["connection"]
    tap.equal({name: connection[name] for name in wanted}, wanted, f"terms of {connection}")


def test_a_hundred_pings_of_every_size_without_crc(lab):
    lab.siw()
    for size in SIZES:
        done = lab.ping(count=100, size=size).right(100)
        agreed(done, mpa=2, crc=False, rtr="none", ird=1, ord=1)


def test_a_hundred_pings_of_every_size_with_crc(lab):
    lab.siw()
    for size in SIZES:
        done = lab.ping(count=100, size=size, crc="on").right(100)
        agreed(done, mpa=2, crc=True, rtr="none")


def test_mpa_1_connects_and_rping_gives_up_for_want_of_reads(lab):
    lab.siw()
    # Without the numbers of revision 2 siw has no Read out at all, and rping's server needs one.
    done = lab.ping(mpa=1, count=1).failed("closed", "ended")
    agreed(done, mpa=1, crc=False, rtr="none")
    tap.equal(done.json["right"], 0, str(done))


def test_peer_to_peer_begins_with_a_write_or_a_read(lab):
    lab.siw()
    for kind in ("write", "read"):
        for crc in ("off", "on"):
            done = lab.ping(p2p=kind, crc=crc, count=5).right(5)
            agreed(done, rtr=kind, crc=crc == "on")


def test_of_several_frames_to_begin_with_the_kernel_picks_one_that_is_sent(lab):
    lab.siw()
    for offer, picked in (("read,send", "read"), ("write,read", "write"),
                          ("write,read,send", "write")):
        agreed(lab.ping(p2p=offer, count=2).right(2), rtr=picked)


def test_private_data_of_any_length_that_siw_takes(lab):
    lab.siw()
    for length in (1, 4, 64, 251):
        lab.ping(private=bytes(range(length)).hex(), count=2).right(2)


def test_private_data_that_siw_cannot_keep_ends_the_connection(lab):
    lab.siw()
    lab.ping(private=(b"x" * 300).hex(), count=1).failed()
    lab.ping(count=1).right(1)


def test_markers_are_rejected(lab):
    lab.siw()
    done = lab.ping("--markers", count=1).failed("rejected")
    tap.equal(done.json["rejected"], True)
    lab.ping(count=1).right(1)


def test_nobody_listens(lab):
    lab.siw()
    lab.stop_server()
    done = lab.ping(port=lab.port, count=1, timeout="5s").failed()
    tap.equal(done.json["pings"], 0)
