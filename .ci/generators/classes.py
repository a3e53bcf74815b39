"""Which class reads which recorded line, and what is left of a line that a class read and wrote.

classes.py lines PROTOCOL SCHEMAS CASES: prints for each recorded line of cases.py the class, whether the line is
exactly what the newest release writes, and the JSON, with tabs between them.
classes.py compare LANGUAGE PROTOCOL LINES WRITTEN: says how many lines were read, and how many are what they were.
"""

import collections
import json
import pathlib
import sys

import jsonschema_rs

UNIONS = {
    "exec": ("ThreadEvent", "exec/latest.exact.json"),
    "rollout": ("RolloutLine", "rollout/latest.exact.json"),
    "app-server": ("ServerNotification", "app-server/server-notifications/latest.exact.experimental.json"),
}


def kinds(schema, union):
    """The definitions of a union, each with the constants that tell it apart."""
    for alternative in schema["$defs"][union]["anyOf"]:
        name = alternative["$ref"].rpartition("/")[2]
        members = schema["$defs"][name]["properties"].items()
        yield name, {key: member["const"] for key, member in members if "const" in member}


def lines(protocol, schemas, cases):
    if protocol not in UNIONS:
        return
    schemas = pathlib.Path(schemas)
    union, exact = UNIONS[protocol]
    newest = jsonschema_rs.validator_for(json.loads((schemas / exact).read_text()))
    codegen = json.loads((schemas / protocol / "latest.codegen.json").read_text())
    known = [(name, tags) for name, tags in kinds(codegen, union) if tags]
    seen = set()
    for line in pathlib.Path(cases).open():
        case = json.loads(line)
        message = case["message"]
        text = json.dumps(message, ensure_ascii=False)
        if not case["is_recorded"] or case["schema"].split("/")[0] != protocol or text in seen:
            continue
        seen.add(text)
        of_kind = (name for name, tags in known if tags.items() <= message.items())
        # What the release does not have is read as the union, which has the members of all kinds.
        print(next(of_kind, union), int(newest.is_valid(message)), text, sep="\t")


def without_nulls(value):
    if isinstance(value, dict):
        return {key: without_nulls(member) for key, member in value.items() if member is not None}
    if isinstance(value, list):
        return [without_nulls(element) for element in value]
    return value


def differences(was, now, at=""):
    if isinstance(was, dict) and isinstance(now, dict):
        for key in was.keys() - now.keys():
            yield f"{at}/{key} is lost"
        for key in now.keys() - was.keys():
            yield f"{at}/{key} is added"
        for key in was.keys() & now.keys():
            yield from differences(was[key], now[key], f"{at}/{key}")
    elif isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        for one, other in zip(was, now):
            yield from differences(one, other, f"{at}/…")
    elif was != now or isinstance(was, bool) != isinstance(now, bool):
        yield f"{at} is another value"


def compare(language, protocol, given, written):
    counts = collections.Counter()
    wrong = []
    for line, answer in zip(pathlib.Path(given).open(), pathlib.Path(written).open(), strict=True):
        name, is_newest, text = line.split("\t", 2)
        release = "newest" if is_newest == "1" else "other"
        counts[release] += 1
        if answer.startswith("!"):
            found = [answer.strip()[:200]]
        else:
            counts[release, "read"] += 1
            found = list(differences(without_nulls(json.loads(text)), without_nulls(json.loads(answer))))
        counts[release, "equal"] += not found
        if found and release == "newest":
            wrong.append((name, found, text))
    if not counts:
        print(f"{language}, {protocol}: compiles; no lines are read here")
    for release, about in [("newest", "that the newest release writes"), ("other", "of other releases")]:
        if not counts[release]:
            continue
        print(
            f"{language}, {protocol}: {counts[release, 'read']} of {counts[release]} lines {about} are read, "
            f"{counts[release, 'equal']} written back with nothing but null lost"
        )
    for each in wrong[:5]:
        print(*each, sep="\n  ")
    # A class declares all that the newest release writes.
    sys.exit(bool(wrong) or (protocol in UNIONS and not counts["newest"]))


if __name__ == "__main__":
    {"lines": lines, "compare": compare}[sys.argv[1]](*sys.argv[2:])
