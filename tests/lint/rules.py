# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The house rules that a file's text can break: each is a function (path, text) -> problems."""
import re

LINES_MAX, FUNCTION_LINES_MAX, COLUMNS_MAX = 800, 70, 100
# A table keeps one row a line, and a comment beside it.
TABLE_COLUMNS_MAX = 160

SPDX = "SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause"

C_SUFFIXES = (".c", ".h", ".def")
SOURCE_SUFFIXES = (*C_SUFFIXES, ".py", ".sh", ".build", ".scd", ".pml")

# Banned word -> what to use.
BANNED = {
    "strcpy": "memcpy with a checked length",
    "strcat": "snprintf with the buffer's size",
    "strncpy": "memcpy with a checked length: strncpy may leave out the terminator",
    "sprintf": "snprintf with the buffer's size",
    "vsprintf": "vsnprintf with the buffer's size",
    "gets": "getline",
    "scanf": "the parsers of src/core/base/quantity.h, which refuse what does not fit",
    "sscanf": "the parsers of src/core/base/quantity.h, which refuse what does not fit",
    "fscanf": "getline and a parser that refuses what does not fit",
    "atoi": "quantity_parse_count, which refuses what is no number",
    "atol": "quantity_parse_count, which refuses what is no number",
    "atoll": "quantity_parse_count, which refuses what is no number",
    "atof": "quantity_parse_share, which refuses what is no number",
    "alloca": "a member of the object, or memory from its allocator",
    "strtok": "strcspn on a pointer that moves",
    "rand": "the seeded generator of src/core/base",
    "srand": "the seeded generator of src/core/base",
    "random": "the seeded generator of src/core/base",
    "drand48": "the seeded generator of src/core/base",
    "tmpnam": "mkstemp",
    "mktemp": "mkstemp",
    "asctime": "strftime",
    "ctime": "strftime",
    "setjmp": "an error code",
    "longjmp": "an error code",
    "signal": "sigaction",
    "usleep": "a deadline",
    "system": "posix_spawn with an argument list",
}

# Who may include whom: a file of the room may include headers of these rooms (and its own).
ROOMS = {
    "src/core/base": [],
    "src/core/wire": ["src/core/base"],
    "src/core/pkey": ["src/core/base"],
    "src/core/mad": ["src/core/base", "src/core/wire"],
    "src/core/trace": ["src/core/base", "src/core/wire", "src/core/mad"],
    "src/core/iwarp": ["src/core/base", "src/core/wire"],
    "src/core/iwcm": ["src/core/base"],
    "src/core/siw": ["src/core/base", "src/core/iwarp"],
    "src/pages": [],
    "src/library": [],
    "src/findings": ["src/core"],
    "src/topology": ["src/core", "src/findings"],
    "src/partitions": ["src/core", "src/findings"],
    "src/storm": ["src/core"],
    "src/fabric": ["src/core", "src/topology"],
    "src/channel": ["src/core"],
    "src/client": ["src/core"],
    "src/host": ["src/core", "src/library", "src/topology", "src/fabric", "src/channel"],
    "src/umad": ["src/core", "src/channel", "src/pages"],
    "src/iw": ["src/core"],
    "src/capture": ["src/core", "src/library"],
    "src/cli": ["src/iw", "src/capture", "src/core", "src/library", "src/pages", "src/findings",
                "src/topology", "src/partitions", "src/storm", "src/fabric", "src/channel",
                "src/client", "src/host"],
}

# The public headers that the rooms of the core may know; the others may include all of them.
PUBLIC = {
    "src/core/base": {"base"},
    "src/core/wire": {"base", "wire"},
    "src/core/pkey": {"base", "pkey"},
    "src/core/mad": {"base", "wire", "mad", "trace"},
    "src/core/trace": {"base", "wire", "mad", "trace", "pcap"},
    "src/core/iwarp": {"base", "wire", "iwarp"},
    "src/core/iwcm": {"base", "iwcm"},
    "src/core/siw": {"base", "iwcm", "siw"},
}

# Standard headers that the core may include: nothing that reads, prints or keeps time. Which of
# their functions it may call is lint_core.py's business.
CORE_SYSTEM_HEADERS = {"assert.h", "limits.h", "stdalign.h", "stdbool.h", "stddef.h", "stdint.h",
                       "inttypes.h", "string.h", "stdarg.h", "stdlib.h", "endian.h", "byteswap.h"}

# Headers of libraries that a room of the core may include: pure functions of memory, too.
ROOM_HEADERS = {"src/core/iwarp": {"isa-l/crc.h"}}

# Rooms whose every .c file has its unit test.
MIRRORED = ("src/core/", "src/storm/", "src/fabric/", "src/channel/", "src/client/",
            "src/iw/", "src/library/", "src/pages/", "src/partitions/", "src/capture/",
            "src/findings/")

VAGUE_NAMES = {"util", "utils", "common", "helper", "helpers", "misc", "stuff", "lib", "tools"}


def without_comments(text):
    """C text whose comments and strings are blanked, lines kept."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match[0])
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.S)


def is_c(path):
    return path.endswith((".c", ".h"))


def first_lines(path, text):
    """SPDX line first, then one sentence that says what lives here."""
    lines = text.splitlines()
    if lines and lines[0].startswith("#!"):
        lines = lines[1:]
    # A manual page's first line is its title, by scdoc's rule.
    head = lines[2:6] if path.endswith(".scd") else lines[:4]
    if not head or SPDX not in head[0]:
        return [f"{path}:1: begin with the comment: {SPDX}"]
    said = " ".join(re.sub(r'^\s*(/\*+|\*/?|#|;|"""|//)?\s*(@file)?', "", l) for l in head[1:])
    if len(re.findall(r"[A-Za-z]{2,}", said)) < 3:
        return [f"{path}:2: after the SPDX line, say in one sentence what lives here"]
    return []


def file_names(path, _text):
    """A name says what belongs into the file."""
    words = re.split(r"[/_.-]", path.rsplit("/", 1)[-1].lower())
    vague = VAGUE_NAMES.intersection(words[:-1])
    if is_c(path) and vague:
        return [f"{path}: \"{vague.pop()}\" names no responsibility: use the specification's word"]
    return []


def sizes(path, text):
    """Columns, lines of a .c file, lines of a function."""
    problems = []
    lines = text.splitlines()
    if path.endswith(SOURCE_SUFFIXES):
        limit = TABLE_COLUMNS_MAX if path.endswith(".def") else COLUMNS_MAX
        for number, line in enumerate(lines, start=1):
            if len(line) > limit:
                problems.append(f"{path}:{number}: {len(line)} columns, at most {limit}")
    if is_c(path):
        if len(lines) > LINES_MAX:
            problems.append(f"{path}: {len(lines)} lines, at most {LINES_MAX}: "
                            "which responsibility wants a file of its own?")
        start = 0
        for number, line in enumerate(lines, start=1):
            if line == "{":
                start = number
            elif line == "}" and start:
                if number - start - 1 > FUNCTION_LINES_MAX:
                    problems.append(f"{path}:{start}: a function of {number - start - 1} lines, "
                                    f"at most {FUNCTION_LINES_MAX}")
                start = 0
    return problems


def banned_calls(path, text):
    """Functions that have a better replacement."""
    if not is_c(path):
        return []
    problems = []
    for number, line in enumerate(without_comments(text).splitlines(), start=1):
        for name in re.findall(r"(?<![\w.>])(\w+)\s*\(", line):
            if name in BANNED:
                problems.append(f"{path}:{number}: {name}: use {BANNED[name]}")
    return problems


def room_of(path):
    for room in ROOMS:
        if path.startswith(room + "/"):
            return room
    return None


def include_problem(room, kind, name):
    """What is wrong with a room's #include, or None."""
    if name.startswith("weft/"):
        header = name.removeprefix("weft/").removesuffix(".h")
        if kind == '"':
            return f"write <{name}>: it is a public header"
        if header not in PUBLIC.get(room, {header}):
            return f"{room} may not include <{name}>: arrows point down only"
    elif kind == "<":
        allowed = CORE_SYSTEM_HEADERS | ROOM_HEADERS.get(room, set())
        if room.startswith("src/core") and name not in allowed:
            return f"the core may not include <{name}>"
    else:
        target = f"src/{name.rpartition('/')[0]}"
        if target not in ROOMS:
            return f'write "{name}" from src/ on, such as "core/base/list.h"'
        below = (f"{lower}/" for lower in [room, *ROOMS[room]])
        if not f"{target}/".startswith(tuple(below)):
            return f"{room} may not include from {target}: arrows point down only"
    return None


def layers(path, text):
    """Arrows point down only; the core sees neither the system nor anything above it."""
    room = room_of(path)
    if not room:
        return []
    problems = []
    # Strings are include names here: only comments are blanked.
    code = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)
    for number, line in enumerate(code.splitlines(), start=1):
        found = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        problem = include_problem(room, *found.groups()) if found else None
        if problem:
            problems.append(f"{path}:{number}: {problem}")
    return problems


# A comparison with NULL is right where its value is wanted, and says no more than the pointer does
# in a condition.
NULL_ASKED = re.compile(r"(?:\b(?:if|while|for) \(|&&|\|\|| \? ).*[=!]= NULL\b"
                        r"|[=!]= NULL\b.*(?:&&|\|\|| \? )")


def one_hand(path, text):
    """What is a matter of taste, decided once: the tree reads as if one person had written it."""
    if not is_c(path):
        return []
    problems = []
    lines = text.splitlines()
    if path.endswith(".c") and len(lines) > 1 and lines[1].startswith("/**"):
        problems.append(f"{path}:2: begin with a plain comment: only headers are a reference")
    if path.endswith(".h") and not lines[1:2] == ["/** @file"]:
        problems.append(f"{path}:2: a header begins with /** @file")
    for number, line in enumerate(without_comments(text).splitlines(), start=1):
        if NULL_ASKED.search(line):
            problems.append(f"{path}:{number}: ask p or !p instead of comparing with NULL")
        if re.search(r"\bint (?:rc|ret|res)\b", line):
            problems.append(f"{path}:{number}: the result of a call is named err")
    for number, line in enumerate(lines, start=1):
        if re.search(r"@return {2,}", line):
            problems.append(f"{path}:{number}: one blank behind @return")
    return problems


def tested_files(paths):
    """Files of src that a unit test of its own may stand for, by what is behind test_."""
    return {f"{part[-2]}_{part[-1].rpartition('.')[0]}": path for path in paths
            if (part := path.split("/"))[0] == "src" and is_c(path)}


def mirrored(paths, exceptions):
    """Each test_X_Y.c tests src/.../X/Y; each .c of the mirrored rooms has one."""
    tests = {found[1] for path in paths
             if (found := re.fullmatch(r"tests/unit/test_(\w+)\.c", path))}
    files = tested_files(paths)
    for name in sorted(tests - set(files) - set(exceptions)):
        yield f"tests/unit/test_{name}.c: there is no such file in src"
    for name in sorted(set(exceptions) - tests):
        yield f"tests/unit/test_{name}.c is excepted, but does not exist"
    for name in sorted(set(exceptions) & set(files)):
        yield f"tests/unit/test_{name}.c is excepted, but tests {files[name]}"
    for name, path in sorted(files.items()):
        if path.endswith(".c") and path.startswith(MIRRORED) \
                and name not in tests:
            yield f"{path} has no tests/unit/test_{name}.c"


def comments(path, text):
    """No banner lines, no empty comment blocks."""
    if not is_c(path):
        return []
    problems = []
    for found in re.finditer(r"/\*+[\s*]*\*/|/\*[\s/]*[-=*#]{6,}", text):
        if found[0].count("\n") or len(found[0]) > 3:
            number = text.count("\n", 0, found.start()) + 1
            problems.append(f"{path}:{number}: a comment that says nothing")
    return problems


# Written so that this file does not break its own rule.
UNFINISHED = re.compile(r"\b(?:TO[D]O|FIX[M]E|XX[X])\b|not (?:yet )?imple[m]ented",
                        re.IGNORECASE)
MACHINE = re.compile(r"(?:^|[^a-zA-Z0-9._-])/(?:wor[k]|far[m]|roo[t]|hom[e])/"
                     r"|[a-z]+\.(?:debia[n]|npmj[s]|ubunt[u]|pyp[i])\.(?:org|com)")


def marks(path, text):
    """No unfinished marks, no paths of one machine, no registry hosts."""
    problems = []
    for number, line in enumerate(text.splitlines(), start=1):
        for what, pattern in (("unfinished mark", UNFINISHED),
                              ("path of one machine or registry host", MACHINE)):
            found = pattern.search(line)
            if found:
                problems.append(f"{path}:{number}: {what}: {found[0].strip()}")
    return problems


def whitespace(path, text):
    """No blanks at line ends, no tabs but in make's recipes and manual pages, one newline last."""
    problems = []
    tabs = path.endswith((".scd", "Makefile"))
    for number, line in enumerate(text.split("\n"), start=1):
        if line != line.rstrip(" \t"):
            problems.append(f"{path}:{number}: blanks at the end of the line")
        if "\t" in line and not tabs:
            problems.append(f"{path}:{number}: a tab")
    if text and (not text.endswith("\n") or text.endswith("\n\n")):
        problems.append(f"{path}: end with one newline")
    return problems
