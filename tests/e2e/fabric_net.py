# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What ibnetdiscover prints, and what weft generates, as nodes and cables for tests to compare."""
import dataclasses
import re

STANZA = re.compile(r'^(Switch|Ca|Rt)\s+(\d+)\s+"([^"]+)"\s*#\s*"([^"]*)"(?:.*? lid (\d+))?')
PORT = re.compile(r'^\[(\d+)\](?:\(([0-9a-f]+)\))?\s+"([^"]+)"\[(\d+)\](?:\(([0-9a-f]+)\))?'
                  r'\s*#\s*(?:lid (\d+))?')


@dataclasses.dataclass
class Node:
    """A node; `lids` is by port, of a switch only port 0 has one."""
    kind: str
    ports: int
    id: str
    name: str
    cables: dict = dataclasses.field(default_factory=dict)
    lids: dict = dataclasses.field(default_factory=dict)
    port_guids: dict = dataclasses.field(default_factory=dict)

    def guid(self):
        return int(self.id.partition("-")[2], 16)

    def lid(self):
        """Its first LID."""
        return self.lids[min(self.lids)]


class Net:
    """Nodes by id, in the order of the text."""

    def __init__(self, text):
        self.nodes = {}
        node = None
        for line in text.splitlines():
            stanza = STANZA.match(line)
            port = PORT.match(line)
            if stanza:
                kind, ports, name_id, name, lid = stanza.groups()
                node = self.nodes[name_id] = Node(kind, int(ports), name_id, name)
                if kind == "Switch":
                    node.lids[0] = int(lid or 0)
                    node.port_guids[0] = node.guid()
            elif port and node is not None:
                number, guid, peer, peer_port, _, lid = port.groups()
                node.cables[int(number)] = (peer, int(peer_port))
                if node.kind != "Switch":
                    node.lids[int(number)] = int(lid or 0)
                    node.port_guids[int(number)] = int(guid, 16)

    def of(self, kind):
        return [node for node in self.nodes.values() if node.kind == kind]

    def switches(self):
        return self.of("Switch")

    def hosts(self):
        return self.of("Ca")

    def cables(self):
        """Every cable once: a pair of (node, port)."""
        ends = {tuple(sorted([(node.id, port), peer]))
                for node in self.nodes.values() for port, peer in node.cables.items()}
        return sorted(ends)

    def shape(self):
        """All that another description of the same fabric must share."""
        return (sorted((node.kind, node.ports, node.id, node.name, sorted(node.port_guids.items()))
                       for node in self.nodes.values()), self.cables())

    def ends(self):
        """Everything that has a LID: (node, port, LID)."""
        return [(node, port, lid) for node in self.nodes.values()
                for port, lid in node.lids.items()]

    def by_lid(self, lid):
        """The node that has this LID."""
        return next(node for node, _, own in self.ends() if own == lid)

    def named(self, name):
        return next(node for node in self.nodes.values() if node.name == name)


def fields(text):
    """`Name:.....value` lines of smpquery and perfquery as a dictionary."""
    return {match[1]: match[2] for match in
            re.finditer(r"^\s*([A-Za-z0-9_ /]+?):?\.{2,}(.*)$", text, flags=re.M)}


def records(text):
    """The records that saquery dumps, each as a dictionary."""
    return [fields(part) for part in re.split(r"^\S.*\bdump:\n", text, flags=re.M)[1:]]
