"""Recorded lines, as they are and with one thing changed, each with the schemas it is checked against.

Prints one JSON object per line: {"schema": path, "message": message, "is_recorded": bool}. The lines and the
changes are the same in every run: a third as many as CODEX_WIRE_TESTS=wide asks for.
"""

import json
import os
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT = 4000
CHANCE = random.Random(20)
PART = 1 if os.environ.get("CODEX_WIRE_TESTS") in ("wide", "all") else 3


def records(folder):
    """The messages below a folder, each once, with their writer if the recording says it."""
    seen = set()
    for path in sorted((ROOT / "fixtures" / folder).rglob("*.jsonl")):
        for line in path.read_text().splitlines():
            if not line or len(line) > LIMIT:
                continue
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if isinstance(record, dict) and "line" in record and "from" in record:
                writer, text = record["from"], record["line"]
            else:
                writer, text = None, line
            key = (writer, text if isinstance(text, str) else json.dumps(text))
            if key in seen or not isinstance(text, str):
                continue
            seen.add(key)
            try:
                message = json.loads(text)
            except ValueError:
                continue
            yield path, writer, message


def sampled(found, number):
    found, number = list(found), number // PART
    return found if len(found) <= number else CHANCE.sample(found, number)


def exec_lines():
    return [m for _, _, m in records("exec")]


def rollout_lines():
    return [
        m
        for path, _, m in records("rollout")
        if path.name.startswith("rollout-") and isinstance(m, dict) and "timestamp" in m and "payload" in m
    ]


def notifications():
    return [
        m
        for _, writer, m in records("app-server")
        if writer == "codex" and isinstance(m, dict) and "method" in m and "id" not in m
    ]


def places(value, at=()):
    yield at
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*at, key))
    if isinstance(value, list):
        for index, element in enumerate(value):
            yield from places(element, (*at, index))


def changed(message):
    """A copy with one thing changed."""
    copy = json.loads(json.dumps(message))
    at = CHANCE.choice([at for at in places(copy) if at])
    holder = copy
    for step in at[:-1]:
        holder = holder[step]
    change = CHANCE.randrange(4)
    if change == 0 and isinstance(holder, dict):
        del holder[at[-1]]
    elif change == 1 and isinstance(holder, dict):
        holder["x_unknown"] = 1
    elif change == 2:
        holder[at[-1]] = CHANCE.choice([None, True, 7, 7.5, "text", [], {}])
    elif isinstance(holder[at[-1]], str):
        holder[at[-1]] += "s"
    else:
        holder[at[-1]] = None
    return copy


def main():
    sets = [
        (["exec/latest.{}.json", "exec/0.44.0.{}.json"], sampled(exec_lines(), 1500)),
        (["rollout/latest.{}.json"], sampled(rollout_lines(), 700)),
        (
            ["app-server/server-notifications/latest.{}.experimental.json"],
            sampled(notifications(), 800),
        ),
    ]
    for schemas, messages in sets:
        for index, message in enumerate(messages):
            schema = schemas[index % len(schemas)]
            path = schema.format(["open", "exact"][index // len(schemas) % 2])
            for variant, is_recorded in [(message, True), (changed(message), False)]:
                case = {"schema": path, "message": variant, "is_recorded": is_recorded}
                sys.stdout.write(json.dumps(case) + "\n")


main()
