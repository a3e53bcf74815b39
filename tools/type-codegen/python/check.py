"""Reads and writes lines with the Python types, and prints what became of them as JSON.

    python3 check.py pydantic|msgspec < lines

Standard input has a JSON object a line: `module` and either `type`, the definition of the message, or
`results` and `method`, for a response; `text`, the line; `wrong`, if no release writes such a line. `releases`
are those that have written it.
"""

import collections
import importlib
import json
import random
import sys


class Pydantic:
    """The models of pydantic."""

    package = "codex_wire.types"

    def __init__(self):
        import pydantic
        from codex_wire.types import Unknown, adapter

        self.unknown, self.adapter, self.base = Unknown, adapter, pydantic.BaseModel
        self.refusal = pydantic.ValidationError

    def read(self, text, cls):
        return self.adapter(cls).validate_json(text)

    def write(self, message, cls):
        return self.adapter(cls).dump_json(message, by_alias=True, exclude_unset=True).decode()

    def members(self, model):
        """The members that are declared and there, by their names on the wire."""
        fields = type(model).model_fields
        there = [name for name in fields if name in model.model_fields_set]
        return {fields[name].alias or name: getattr(model, name) for name in there}

    def undeclared(self, model):
        return model.model_extra or {}

    def problem(self, error):
        first = error.errors()[0]
        return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"


class Msgspec:
    """The structs of msgspec."""

    package = "codex_wire.types.msgspec"

    def __init__(self):
        import msgspec
        from codex_wire.types.msgspec import UNSET, Model, Unknown, read, write

        self.unknown, self.unset, self.base = Unknown, UNSET, Model
        self.refusal, self.read = msgspec.ValidationError, read
        self.write = lambda message, cls: write(message)

    def members(self, model):
        names = zip(model.__struct_encode_fields__, model.__struct_fields__)
        members = {wire: getattr(model, name) for wire, name in names if name != "undeclared"}
        return {name: value for name, value in members.items() if value is not self.unset}

    def undeclared(self, model):
        return model.undeclared

    def problem(self, error):
        return str(error)


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


def undeclared(flavour, value, path=""):
    """The places of members that the types do not declare, and of objects of unknown kind."""
    if isinstance(value, flavour.unknown):
        yield f"{path}: unknown kind"
    elif isinstance(value, flavour.base):
        for name in flavour.undeclared(value):
            yield f"{type(value).__name__}.{name}"
        for name, inner in flavour.members(value).items():
            yield from undeclared(flavour, inner, f"{type(value).__name__}.{name}")
    elif isinstance(value, list):
        for item in value:
            yield from undeclared(flavour, item, path)
    elif isinstance(value, dict):
        for item in value.values():
            yield from undeclared(flavour, item, path)


LATER = ("a_later_member", {"a": [1, 1.0, None, 2**70]})


def objects(flavour, message, value):
    """The objects of a value that are not maps: to maps, a later release adds nothing."""
    if isinstance(message, flavour.base):
        yield value
        for name, inner in flavour.members(message).items():
            yield from objects(flavour, inner, value[name])
    elif isinstance(message, list):
        for inner, item in zip(message, value):
            yield from objects(flavour, inner, item)
    elif isinstance(message, dict):
        for name, inner in message.items():
            yield from objects(flavour, inner, value[name])


def main():
    # The same objects every time.
    random.seed(19)
    flavour = {"pydantic": Pydantic, "msgspec": Msgspec}[sys.argv[1]]()
    lines, loses, refused = collections.Counter(), collections.Counter(), collections.Counter()
    wrong, taken, further = 0, collections.Counter(), collections.Counter()
    differs, extended = [], 0
    for line in sys.stdin:
        asked = json.loads(line)
        module = importlib.import_module(f"{flavour.package}.{asked['module']}")
        text = asked["text"]
        value = json.loads(text)
        if "results" in asked:
            cls = getattr(module, asked["results"])[asked["method"]]
            value = value.get("result")
            text = json.dumps(value)
        else:
            cls = getattr(module, asked["type"])
        try:
            message = flavour.read(text, cls)
        except flavour.refusal as error:
            if not asked["wrong"]:
                refused[f"{asked['module']} {flavour.problem(error)}"] += 1
            wrong += asked["wrong"]
            continue
        if asked["wrong"]:
            wrong += 1
            taken[asked["module"]] += 1
            continue
        lines[asked["module"]] += 1
        further.update(f"{asked['module']} {place}" for place in undeclared(flavour, message))
        written = flavour.write(message, cls)
        if exact(json.loads(written)) != exact(value):
            differs.append([asked["module"], text[:2000], written[:2000]])
        loses.update(f"{asked['module']} {name}" for name in duplicates(asked["text"]))
        # A later release adds a member to one of the objects.
        found = list(objects(flavour, message, value))
        if not found:
            continue
        random.choice(found)[LATER[0]] = LATER[1]
        extended += 1
        try:
            message = flavour.read(json.dumps(value), cls)
        except flavour.refusal as error:
            refused[f"{asked['module']} with {LATER[0]}: {flavour.problem(error)}"] += 1
            continue
        written = flavour.write(message, cls)
        if exact(json.loads(written)) != exact(value):
            differs.append([asked["module"], json.dumps(value)[:2000], written[:2000]])
    report = {
        "lines": lines,
        "extended": extended,
        "refused": refused.most_common(20),
        "differs": differs[:5],
        "duplicates": loses,
        "undeclared": further.most_common(30),
        "wrong": wrong,
        "taken": taken,
    }
    json.dump(report, sys.stdout)


main()
