#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What weft partitions lint says that OpenSM makes of a file, and what the P_Key tables of a fabric
say that OpenSM has made of it."""
import json
import pathlib
import re

import tap
import fabric_lab

SM, HOST2, HOST3 = 0x0200000000100001, 0x0200000000100003, 0x0200000000100005
DATA = tap.ROOT / "tests/data/partitions"
LONG = 4094 - len("A=1:SELF=full;")

# A name, the file, and options of OpenSM.
FILES = {
    "keys": "A=0x8000:ALL; B=0x10000:ALL; C=0x18003:ALL=full; D=-2:ALL; E=010:ALL; 0x300:ALL; "
            "7:ALL; :ALL; G:ALL; H=99999999999999999999:SELF=full;",
    "names": f"{'n' * 33}=0x10:ALL; {'n' * 33}:SELF=full; A=0x100:ALL; A=0x2:ALL; A=0x201:ALL; "
             "A:SELF=full; Default:0x1=full; B:ALL;\nC=3:SELF=full;",
    "words": f"A=1:AL=full; B=2:ALL_=full; C=3:ALL_S=f; D=4:S=full; E=5:N,A; F=6:{HOST2}=,SELF=zz;",
    "blanks": f" A = 0x1 ,defmember = full :\tSELF ,{HOST2:#x}\t=\tlimited\n\n  ALL_SWITCHES "
              f"# x;y:z\n=full\n, {HOST3} = limi ;B=2:# more\nALL=full;",
    "order": f"A=1:{HOST2:#x}=full,ALL,SELF=full; B=2:ALL=full,{HOST3:#x}; B=2:{HOST3}=full,SELF;"
             "C=0x8003:SELF=full; D=3:ALL; Default=0x7fff:ALL_CAS=full,SELF=limited;",
    "flags": "A=1,,m=2,rate=3x,sc=16,s=3,sl=16,F=0x100000,i,in,d=f,x=1,ipoibx,indx0=5:ALL;",
    "groups": "A=1,ipoib,rate=6:mgid=ff12:401b::1,rate=3\nmgid=ff12:401b:1::4\nmgid=fe80::1,sl=1\n"
              "ALL=full,mgid=ff12::6,ALL;B=2:mgid=ff12::1;C=3:ALL;\nD=4:SELF=full;",
    "semicolons": "A=1:\nALL\n;\nB=2:ALL\n;SELF=full\nC=3:ALL;",
    "long lines": f"A=1:SELF=full;{' ' * LONG}B=2:SELF=full;\nC=3:ALL;",
    "both": (f"A=1:ALL=both,SELF=full; B=2,defmember=both:{HOST2},{HOST3:#x}; B=2:{HOST3}=full;",
             "--allow_both_pkeys"),
    "not both": f"A=1:ALL=both,SELF=limited; B=2,defmember=both:{HOST2};",
    "nothing": "# nothing\n",
    "no colon": "A=1:ALL;\nB=2\n:ALL;",
    "no GUID": f"A=1:ALL;\nB=2:{HOST2}, 0x0;\nC=3:ALL;",
    "no key": "A=1:ALL;B=2=3:ALL;",
    "old lines": "Looooong=1:ALL=full,SELF=full\n;\nB=2:ALL;\n",
    "CR LF": "A=1:ALL;\r\nB=2:ALL;\r\n",
    "no semicolon": "A=1:ALL\nB=2:ALL;\n",
    "group's flags": "A=1:mgid=fe80::1,sl=1;B=2:ALL;",
    "site.conf": (DATA / "site.conf").read_text(encoding="utf-8"),
    "contradictions.conf": (DATA / "contradictions.conf").read_text(encoding="utf-8"),
    "mistake.conf": (DATA / "mistake.conf").read_text(encoding="utf-8"),
}


def is_host(guid):
    return guid & 0x100000 != 0


def covers(port, guid):
    """Whether a member's word stands for a port."""
    return {"ALL": True, "ALL_CAS": is_host(guid), "ALL_SWITCHES": not is_host(guid),
            "ALL_ROUTERS": False, "SELF": guid == SM}.get(port, port == f"{guid:#018x}")


def lint(path, options):
    both = ["--allow-both-pkeys"] if options else []
    done = tap.run([tap.weft(), "partitions", "lint", "--json", *both, path])
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


def expected_tables(document, guids):
    """The keys of each port."""
    tables = {guid: set() for guid in guids}
    for partition in document["partitions"]:
        key = int(partition["pkey"], 16)
        for guid in guids:
            own = [m["membership"] for m in partition["members"] if covers(m["port"], guid)]
            if own and own[-1] != "limited":
                tables[guid].add(key | 0x8000)
            if own and own[-1] != "full":
                tables[guid].add(key)
    return tables


def read_tables(lab, manager):
    tables = {}
    for line in fabric_lab.read(manager.folder / "guid2lid").split("\n"):
        words = line.split()
        if not words:
            continue
        guid = int(words[0], 16)
        port = [] if is_host(guid) else ["0"]
        text = lab.run("host-00001", "smpquery", "-L", "pkeys", int(words[1], 16), *port)
        rows = re.findall(r"^ *\d+:((?: 0x[0-9a-f]{4})+)", text, flags=re.M)
        tables[guid] = {int(key, 16) for row in rows for key in row.split()} - {0}
    return tables


def compare_log(log, document):
    """OpenSM and lint stop at the same line, and lint knows each line of which OpenSM warns."""
    stops = re.findall(r"PARSE ERROR: line (\d+)", log)
    problems = document["problems"]
    tap.equal(document["refused"], "retrying with default config" in log, "whether it is dropped")
    tap.equal([str(p["line"]) for p in problems if p["kind"] == "syntax"][:1], stops[:1], "line")
    lines = {str(p["line"]) for p in problems}
    warned = set(re.findall(r"PARSE (?:WARN|ERROR)[^:]*:? ?line (\d+)", log))
    tap.none(f"OpenSM warns of line {line}, lint does not" for line in sorted(warned - lines))


def compare(lab, name, text, options):
    path = pathlib.Path(lab.folder, "partitions.conf")
    path.write_bytes(text.encode())
    # Each further sweep would number anew the partitions that have no key.
    once = pathlib.Path(lab.folder, "once.conf")
    once.write_text("sweep_interval 0\nsweep_on_trap FALSE\n", encoding="ascii")
    manager = lab.opensm("host-00001", "-V", "-F", once, "-P", path, *options)
    try:
        document = lint(path, options)
        tables = read_tables(lab, manager)
        tap.equal(len(tables), 11, "ports that OpenSM knows")
        wanted = expected_tables(document, tables)
        tap.none(f"{name}: {guid:#x} has {sorted(map(hex, keys))}, lint says "
                 f"{sorted(map(hex, wanted[guid]))}"
                 for guid, keys in tables.items() if keys != wanted[guid])
        if name != "long lines":
            compare_log(manager.text(), document)
    finally:
        manager.end()


def test_tables_are_what_lint_says():
    with fabric_lab.weft("fat-tree:hosts=6,radix=4") as lab:
        for name, entry in FILES.items():
            text, *options = entry if isinstance(entry, tuple) else (entry,)
            print(f"# {name}", flush=True)
            compare(lab, name, text, options)


def test_a_group_without_a_gid_ends_opensm():
    with fabric_lab.weft("fat-tree:hosts=6,radix=4") as lab:
        path = pathlib.Path(lab.folder, "partitions.conf")
        path.write_text("A=1: mgid, ALL;\n", encoding="ascii")
        manager = lab.opensm("host-00001", "-P", path, up=False)
        fabric_lab.wait_until(lambda: not manager.lives(), "OpenSM ends")
        tap.contains(lint(path, [])["problems"][0]["text"], "segmentation fault")
        # A sanitizer that is loaded before it turns the signal into a status of its own.
        assert manager.end() != 0, "OpenSM ends as if nothing had happened"


tap.main(globals())
