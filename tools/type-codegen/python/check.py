"""Reads and writes lines with the Python types, and prints what became of them as JSON.

Standard input has a JSON object a line: `module` and either `type`, the definition of the message, or
`results` and `method`, for a response; `text`, the line; `wrong`, if no release writes such a line.
"""

import collections
import importlib
import json
import sys

from pydantic import BaseModel, ValidationError

from codex_wire.types import Unknown, adapter


def exact(value):
    """A text that two values share only if they are the same JSON: 1 is not 1.0, and not true."""
    return json.dumps(value, sort_keys=True)


def duplicates(text):
    """The names of members that stand twice in one object, with different values."""
    found = set()

    def members(pairs):
        seen = {}
        for name, value in pairs:
            if name in seen and exact(seen[name]) != exact(value):
                found.add(name)
            seen[name] = value
        return seen

    json.loads(text, object_pairs_hook=members)
    return found


def undeclared(value, path=""):
    """The places of members that the types do not declare, and of objects of unknown kind."""
    if isinstance(value, Unknown):
        yield f"{path}: unknown kind"
    elif isinstance(value, BaseModel):
        for name in value.model_extra or {}:
            yield f"{type(value).__name__}.{name}"
        for name in value.model_fields_set:
            yield from undeclared(getattr(value, name, None), f"{type(value).__name__}.{name}")
    elif isinstance(value, list):
        for item in value:
            yield from undeclared(item, path)
    elif isinstance(value, dict):
        for item in value.values():
            yield from undeclared(item, path)


def main():
    lines, loses, refused = collections.Counter(), collections.Counter(), collections.Counter()
    wrong, taken, further = 0, collections.Counter(), collections.Counter()
    differs = []
    for line in sys.stdin:
        asked = json.loads(line)
        module = importlib.import_module(f"codex_wire.types.{asked['module']}")
        text = asked["text"]
        value = json.loads(text)
        if "results" in asked:
            reader = adapter(getattr(module, asked["results"])[asked["method"]])
            value = value.get("result")
            text = json.dumps(value)
        else:
            reader = adapter(getattr(module, asked["type"]))
        try:
            message = reader.validate_json(text)
        except ValidationError as error:
            if not asked["wrong"]:
                first = error.errors()[0]
                place = ".".join(str(part) for part in first["loc"])
                refused[f"{asked['module']} {place}: {first['msg']}"] += 1
            wrong += asked["wrong"]
            continue
        if asked["wrong"]:
            wrong += 1
            taken[asked["module"]] += 1
            continue
        lines[asked["module"]] += 1
        further.update(f"{asked['module']} {place}" for place in undeclared(message))
        written = reader.dump_json(message, by_alias=True, exclude_unset=True)
        if exact(json.loads(written)) != exact(value):
            differs.append([asked["module"], text[:2000], written.decode()[:2000]])
        loses.update(f"{asked['module']} {name}" for name in duplicates(asked["text"]))
    report = {
        "lines": lines,
        "refused": refused.most_common(20),
        "differs": differs[:5],
        "duplicates": loses,
        "undeclared": further.most_common(30),
        "wrong": wrong,
        "taken": taken,
    }
    json.dump(report, sys.stdout)


main()
