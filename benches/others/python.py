"""Readers and validators of Python over the corpora of a folder.

Usage: python python.py FOLDER ROUNDS; prints a line of JSON per contestant and corpus.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import exec_msgspec
import exec_pydantic
import fastjsonschema
import jsonschema_rs
import msgspec
import orjson
import pydantic

# The release the typed contestants were written for.
TYPED = ("exec", "0.169.0")

# A small corpus is read again for this many seconds, and a slow contestant no longer than that.
LEAST_SECONDS, MOST_SECONDS = 0.5, 5.0

Accepts = Callable[[bytes], bool]


# What they raise for a line they do not accept.
REFUSALS = (ValueError, KeyError, msgspec.MsgspecError)


def reads(loads: Callable[[bytes], Any]) -> Callable[[Any, list[str]], Accepts]:
    """A contestant that reads, into types or not."""

    def accepts(line: bytes) -> bool:
        try:
            loads(line)
        except REFUSALS:
            return False
        return True

    return lambda schema, tag: accepts


def rust_validator(loads: Callable[[bytes], Any]) -> Callable[[Any, list[str]], Accepts]:
    """jsonschema-rs, which finds the kind in the union by itself."""

    def compiled(schema: Any, tag: list[str]) -> Accepts:
        is_valid = jsonschema_rs.Draft7Validator(schema).is_valid

        def accepts(line: bytes) -> bool:
            try:
                return is_valid(loads(line))
            except REFUSALS:
                return False

        return accepts

    return compiled


def fast_validator(schema: Any, tag: list[str]) -> Accepts:
    """fastjsonschema, with a validator per tag: of a union it would try every kind."""
    validators: dict[str, Callable[[Any], Any]] = {}
    union = schema
    if len(tag) > 1:
        place = schema["properties"][tag[0]]
        reference = place.get("$ref") or place["allOf"][0]["$ref"]
        union = schema["definitions"][reference.rsplit("/", 1)[1]]
    kinds = union["x-mapping"]

    def validator_of(kind: str) -> Callable[[Any], Any]:
        """Made when its kind is first met."""
        one = {"$ref": kinds[kind], "definitions": schema["definitions"]}
        if len(tag) > 1:
            properties = {**schema["properties"], tag[0]: {"$ref": kinds[kind]}}
            one = {**schema, "properties": properties}
            del one["$id"]
        validators[kind] = fastjsonschema.compile(one)
        return validators[kind]

    def accepts(line: bytes) -> bool:
        try:
            value = json.loads(line)
            kind = value
            for name in tag:
                kind = kind[name]
            validator = validators.get(kind) or validator_of(kind)
            validator(value)
        except REFUSALS:
            return False
        return True

    return accepts


MSGSPEC = msgspec.json.Decoder(exec_msgspec.Event).decode
PYDANTIC = pydantic.TypeAdapter(exec_pydantic.Event).validate_json

# Name, whether it validates, whether it has types for one release only, and what makes it.
CONTESTANTS = [
    ("json", False, False, reads(json.loads)),
    ("orjson", False, False, reads(orjson.loads)),
    ("json and fastjsonschema, a validator per tag", True, False, fast_validator),
    ("json and jsonschema-rs", True, False, rust_validator(json.loads)),
    ("orjson and jsonschema-rs", True, False, rust_validator(orjson.loads)),
    ("msgspec, typed", True, True, reads(MSGSPEC)),
    ("pydantic, typed", True, True, reads(PYDANTIC)),
]


def lines_of(path: str) -> list[bytes]:
    return Path(path).read_bytes().split(b"\n")[:-1]


def count(lines: list[bytes], accepts: Accepts) -> int:
    accepted = 0
    for line in lines:
        if accepts(line):
            accepted += 1
    return accepted


def main(folder: Path, rounds: int) -> None:
    for corpus in json.loads((folder / "corpora.json").read_bytes()):
        for name, validates, is_typed, compiled in CONTESTANTS:
            if is_typed and {(corpus["message_set"], p["release"]) for p in corpus["parts"]} != {TYPED}:
                continue
            runs = []
            for part in corpus["parts"]:
                schema = json.loads(Path(part["schema"]).read_bytes())
                runs.append((part, lines_of(part["lines"]), compiled(schema, corpus["tag"])))
            accepted = sum(count(lines, accepts) for _, lines, accepts in runs)
            times: list[float] = []
            while sum(times) < LEAST_SECONDS or (
                len(times) < rounds and sum(times) < MOST_SECONDS
            ):
                start = time.process_time()
                for _, lines, accepts in runs:
                    count(lines, accepts)
                times.append(time.process_time() - start)
            outcome = {
                "contestant": f"Python: {name}",
                "corpus": corpus["name"],
                "validates": validates,
                "seconds": min(times),
                "accepted": accepted,
                "wrong": sum(count(lines_of(part["wrong"]), accepts) for part, _, accepts in runs),
                "broken": sum(count(lines_of(part["broken"]), accepts) for part, _, accepts in runs),
            }
            print(json.dumps(outcome), flush=True)


main(Path(sys.argv[1]), int(sys.argv[2]))
