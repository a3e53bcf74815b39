"""Counts the recorded lines that the models of the Python SDKs take, and that they write back.

    PYTHONPATH=packages/python/src:.cache/python/site:FOLDER python3 tools/type-codegen/python/compare.py

FOLDER has what `pip install --no-deps --target FOLDER openai-codex==0.163.0 openai-codex-sdk==0.1.11` writes. The lines
are those that `cargo test -p type-codegen --test languages -- python` has written to
`target/tmp/type-codegen/lines.jsonl`.

A line is taken if the SDK makes a model of its kind of it, without an error and without falling back to a value of
unknown kind. It is kept if that model is written as the same JSON: what was absent is left out.
"""

import collections
import importlib.metadata
import inspect
import json
import pathlib
import re

import openai_codex.client
import openai_codex_sdk.parsing
from openai_codex.generated import v2_all
from openai_codex.generated.notification_registry import NOTIFICATION_MODELS
from openai_codex_sdk.types import UnknownThreadEvent, UnknownThreadItem

from codex_wire.types import adapter, app_server, exec

LINES = pathlib.Path(__file__).parents[3] / "target/tmp/type-codegen/lines.jsonl"

RESULTS = {
    method: getattr(openai_codex.client, model)
    for method, model in re.findall(
        r'self\.request\(\s*"([\w/]+)",.*?response_model=(\w+)', inspect.getsource(openai_codex.client), re.DOTALL
    )
}
"""The models that the SDK gives to results, by method."""


def exact(value):
    return json.dumps(value, sort_keys=True)


def dumped(model):
    return model.model_dump(mode="json", by_alias=True, exclude_unset=True)


def event(line):
    """As `openai-codex-sdk` reads a line of `codex exec`."""
    read = openai_codex_sdk.parsing.parse_thread_event(line)
    unknown = isinstance(read, UnknownThreadEvent) or isinstance(getattr(read, "item", None), UnknownThreadItem)
    return None if unknown else dumped(read)


def notification(line):
    """As `openai-codex` reads a notification. What it has no model for, it hands on as a dict."""
    model = NOTIFICATION_MODELS.get(line["method"])
    if model is None:
        return None
    return {**line, "params": dumped(model.model_validate(line.get("params", {})))}


def main():
    counts = collections.defaultdict(collections.Counter)

    def count(name, releases, value, read, ours):
        for release in ("all", *{"0.163.0"}.intersection(releases)):
            found = counts[name, release]
            found["lines"] += 1
            found["ours"] += exact(json.loads(adapter(ours).dump_json(
                adapter(ours).validate_json(json.dumps(value)), by_alias=True, exclude_unset=True))) == exact(value)
            try:
                written = read(value)
            except Exception:  # noqa: BLE001 - whatever it raises, it has not taken the line
                found["refused"] += 1
                continue
            if written is None:
                found["unknown"] += 1
                continue
            found["taken"] += 1
            found["kept"] += exact(written) == exact(value)

    for line in LINES.open(encoding="utf-8"):
        asked = json.loads(line)
        if asked["wrong"]:
            continue
        value, releases = json.loads(asked["text"]), asked["releases"]
        if asked["module"] == "exec":
            count("exec, openai-codex-sdk", releases, value, event, exec.ThreadEvent)
        elif asked.get("results") == "SERVER_RESULTS":
            method = asked["method"]
            model = RESULTS.get(method)
            name = "app-server results, openai-codex"
            count(name, releases, value["result"], lambda result: model and dumped(model.model_validate(result)),
                  app_server.SERVER_RESULTS[method])
        elif asked.get("type") == "ServerNotification":
            count("app-server notifications, openai-codex", releases, value, notification,
                  app_server.ServerNotification)
        elif asked.get("type") == "ClientRequest":
            count("app-server requests of clients, openai-codex", releases, value,
                  lambda line: dumped(v2_all.ClientRequest.model_validate(line)), app_server.ClientRequest)
    for package in "openai-codex", "openai-codex-sdk":
        print(package, importlib.metadata.version(package))
    for (name, release), found in sorted(counts.items()):
        print(f"{name}, {release}:", ", ".join(f"{key} {number}" for key, number in found.items()))


main()
