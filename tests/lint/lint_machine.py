#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The machines in the sources: one place changes the state, nothing else acts as one."""
import re

import rules
import tap

ENGINE = sorted((tap.ROOT / "src/core/mad").glob("*.[ch]"))

# A send is called `s` throughout the engine; that is what these look for.
STATE_CHANGE = re.compile(r"\bs->state\s*=(?!=)")
STATUS_DECIDES = re.compile(r"\bs->status\s*[=!<>]=|\b(?:if|while|switch)\s*\([^;{]*\bs->status\b"
                            r"|\bs->status\s*\?")


def places(pattern, files):
    """file:line of each match outside of comments and strings."""
    for name, text in files:
        code = rules.without_comments(text)
        for found in pattern.finditer(code):
            yield f"{name}:{code.count(chr(10), 0, found.start()) + 1}"


def users(pattern, files):
    """The functions whose body matches outside of comments and strings."""
    found = set()
    for _, text in files:
        code = rules.without_comments(text)
        for function in re.finditer(r"^\w[^;{}]*?\b(\w+)\([^;{}]*\)\n\{\n(.*?)^\}", code,
                                    flags=re.M | re.S):
            if re.search(pattern, function[2]):
                found.add(function[1])
    return found


def engine():
    return [(str(path.relative_to(tap.ROOT)), path.read_text("utf-8")) for path in ENGINE]


def test_R3_one_place_changes_the_state_of_a_send():
    found = list(places(STATE_CHANGE, engine()))
    tap.equal(len(found), 1, f"places that assign s->state: {found}")


def test_R28_R45_no_decision_is_taken_by_the_status_of_a_send():
    # event.c reports what a finished send has come to.
    deciding = [(name, text) for name, text in engine() if not name.endswith("/event.c")]
    tap.none(f"{place} decides by s->status: only the state may"
             for place in places(STATUS_DECIDES, deciding))


def test_R44_answers_and_completions_come_in_by_separate_entries():
    answers, completions = r"\bSEND_RESPONSE\b", r"\bSEND_SENT_(?:AWAIT|MORE|LAST|ERROR)\b"
    entries = [users(inputs, engine()) for inputs in (answers, completions)]
    assert all(entries), f"who gives the inputs is not found: {entries}"
    tap.none(f"{name} gives inputs of answers and of completions"
             for name in sorted(set.intersection(*entries)))
    callers = [users(rf"\b(?:{'|'.join(sorted(names))})\(", engine()) - names
               for names in entries]
    assert all(callers), f"who calls the entries is not found: {callers}"
    tap.none(f"{name} calls the entries of answers and of completions"
             for name in sorted(set.intersection(*callers)))


def test_R110_one_place_changes_the_state_of_an_id():
    # manager.c sets it at the birth of an id, too: `state` is its parameter there.
    manager = [(path.name, path.read_text("utf-8"))
               for path in sorted((tap.ROOT / "src/core/iwcm").glob("*.[ch]"))]
    changed = re.compile(r"\bc->state\s*=(?!=)")
    tap.equal(users(changed, manager), {"iwcm_take", "iwcm_step"})
    tap.equal(len(list(places(changed, manager))), 2)


def test_planted_faults_are_found():
    planted = [("a.c", "x;\nif (y && s->status)\n"), ("b.c", "r = s->status == OK;\n"),
               ("c.c", "s->state = DONE;\n"), ("d.c", "/* s->state = 1; */ s->status = 2;\n")]
    tap.equal(list(places(STATUS_DECIDES, planted)), ["a.c:2", "b.c:1"])
    tap.equal(list(places(STATE_CHANGE, planted)), ["c.c:1"])
    planted = [("e.c", "static int f(int a)\n{\n    g(SEND_RESPONSE);\n}\n\nint h(void)\n{\n"
                "    /* SEND_RESPONSE */\n    f(SEND_SENT_LAST);\n}\n")]
    tap.equal(users(r"\bSEND_RESPONSE\b", planted), {"f"})
    tap.equal(users(r"\bSEND_SENT_LAST\b|\bf\(", planted), {"h"})


tap.main(globals())
