#!/usr/bin/env python3
"""Each meaning of a statistic or parameter can be read beside its name alone. Prints TAP.

The rows are read from the source, because no single machine has all statistics. A meaning that
continues its unit ("flits": "of those packets") begins with a word of CONTINUES; LEANS finds those that need the
row before.
"""
import glob
import os
import re

SOURCE = os.environ["HEDDLE_SOURCE"]
TEXT = r'"(?:[^"\\]|\\.)*"'
ROW = re.compile(r'\b(?:S_(?:COUNT|LEVEL|RATIO|MEAN|ARRAY|LEVELS|HISTOGRAM|FORMULA|OCCUPANCY)|TUPLE_COUNT|TUPLE_MEAN|'
                 r'COUNT|MEAN|NUMBER|BOTH)\(|\.kind = STAT_')
ROWS_AT_LEAST = 700
PARAMETER = re.compile(r"\bP_(U32|U64|DOUBLE|BOOL|CHOICE|STRING|FILE|GROUP|INSTANCES)\(")
PLACE = {"U32": 6, "U64": 6, "DOUBLE": 6, "BOOL": 3, "CHOICE": 4, "STRING": 3, "FILE": 3, "GROUP": 4, "INSTANCES": 6}
CONTINUES = ("of", "in which", "that", "from", "those", "by", "to", "for", "with", "which", "whose", "without", "at",
             "found", "and", "until", "over", "it", "its", "between")
LEANS = re.compile(r"of (those|them|it)\b|^the same\b|\bthen until\b|\blikewise\b|\bwho(ever)?\b|\bsomebody|\beverybody|\bnobody")


def call_at(text, start):
    """The text to the bracket that closes the row at `start`."""
    depth, at, quoted = 0, start, False
    while True:
        c = text[at]
        if quoted:
            at += c == "\\"
            quoted = c != '"'
        elif c == '"':
            quoted = True
        elif c in "({":
            depth += 1
        elif c in ")}":
            depth -= 1
            if depth <= 0:
                return text[start:at + 1]
        at += 1


def strings(call):
    """The string arguments, adjacent literals joined."""
    joined = re.sub(r'"\s*(?:\\\n\s*)?"', "", re.sub(r'""', '" "', call))
    return [s[1:-1] for s in re.findall(TEXT, joined)]


def meanings():
    for path in sorted(glob.glob(SOURCE + "/src/**/*.[ch]", recursive=True)):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        if "stat_def" not in text and "stats/def.h" not in text and "S_COUNT" not in text:
            continue
        for row in ROW.finditer(text):
            line_start = text.rfind("\n", 0, row.start()) + 1
            if text.startswith("#define", line_start) and not row.group().startswith(".kind"):
                continue
            start = row.start() if row.group().endswith("(") else text.rfind("{", 0, row.start())
            call = call_at(text, start)
            found = strings(call)
            if not found or ".meaning = text" in call or "owner" in call.split(",")[0]:
                continue
            both = row.group().startswith("BOTH")
            for meaning in found[-2:] if both else found[-1:]:
                yield f"{os.path.relpath(path, SOURCE)}:{text.count(chr(10), 0, start) + 1}", meaning


def arguments(call):
    """What stands between the commas of a call."""
    parts, depth, quoted, at, since = [], 0, False, call.index("("), call.index("(") + 1
    while at < len(call):
        c = call[at]
        if quoted:
            at += c == "\\"
            quoted = c != '"'
        elif c == '"':
            quoted = True
        elif c in "({":
            depth += 1
        elif c in ")}":
            depth -= 1
        if (c == "," and depth == 1 and not quoted) or (depth == 0 and c == ")"):
            parts.append(call[since:at])
            since = at + 1
        at += 1
    return parts


def parameters():
    for path in sorted(glob.glob(SOURCE + "/src/**/*.[ch]", recursive=True)):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        for row in PARAMETER.finditer(text):
            if not text.startswith("#define P_", text.rfind("\n", 0, row.start()) + 1):
                found = strings(arguments(call_at(text, row.start()))[PLACE[row.group(1)]])
                for meaning in found[:1]:
                    yield f"{os.path.relpath(path, SOURCE)}:{text.count(chr(10), 0, row.start()) + 1}", meaning


def report(number, name, bad):
    for line in bad:
        print("#", line)
    print("not ok" if bad else "ok", f"{number} - {name}")


def those_that_lean(found):
    return [f"{at}: '{m}'" for at, m in found
            if any(re.match(re.escape(w) + r"\b", m) for w in CONTINUES) or LEANS.search(m)]


print("1..3")
rows, params = list(meanings()), list(parameters())
few = [f"{len(r)} rows" for r in (rows, params) if len(r) < ROWS_AT_LEAST]
report(1, "every_meaning_of_a_statistic_stands_alone", those_that_lean(rows))
# a choice is a question: "which line of a set is evicted"
report(2, "every_meaning_of_a_parameter_stands_alone", those_that_lean([p for p in params if p[1].split()[0] != "which"]))
report(3, f"the_source_has_at_least_{ROWS_AT_LEAST}_rows_of_either", few)
