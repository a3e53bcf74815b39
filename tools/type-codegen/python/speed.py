"""Measures the Python types, and prints a table: how long an import takes, the first line, and all lines.

    PYTHONPATH=packages/python/src:.cache/python/site python3 tools/type-codegen/python/speed.py

The lines are those that `cargo test -p type-codegen --test languages -- python` has written to
`target/tmp/type-codegen/lines.jsonl`. Each number is the best of five processes, with compiled bytecode, in time of the
processor: other processes count little.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

MODULES = ["exec", "exec_legacy", "core", "app_server", "rollout", "hooks", "notify"]
LINES = pathlib.Path(__file__).parents[3] / "target/tmp/type-codegen/lines.jsonl"


def measured(flavour, name):
    """Seconds of the processor, in a process of its own: import, first line, reading all lines, writing them."""
    import importlib

    asked = [json.loads(line) for line in LINES.open(encoding="utf-8")]
    asked = [one for one in asked if one["module"] == name and not one["wrong"] and "type" in one]
    if flavour == "pydantic":
        import pydantic  # noqa: F401
        from codex_wire.types import adapter, write

        package = "codex_wire.types"

        def read(text, cls):
            return adapter(cls).validate_json(text)

    else:
        from codex_wire.types.msgspec import read, write

        package = "codex_wire.types.msgspec"

    times = [time.process_time()]
    module = importlib.import_module(f"{package}.{name}")
    times.append(time.process_time())
    lines = [(one["text"], getattr(module, one["type"])) for one in asked]
    read(*lines[0])
    times.append(time.process_time())
    # Types are built when they are first used.
    for text, cls in lines:
        write(read(text, cls))
    times.append(time.process_time())
    messages = [read(text, cls) for text, cls in lines]
    times.append(time.process_time())
    for message in messages:
        write(message)
    times.append(time.process_time())
    spent = [after - before for before, after in zip(times, times[1:])]
    return {"import": spent[0], "first": spent[1], "read": spent[3], "write": spent[4], "lines": len(lines)}


def best(flavour, name):
    command = [sys.executable, __file__, flavour, name]
    runs = [json.loads(subprocess.run(command, check=True, capture_output=True).stdout) for _ in range(6)]
    # The first has compiled the sources.
    return {key: min(run[key] for run in runs[1:]) for key in runs[0]}


def main():
    if len(sys.argv) == 3:
        print(json.dumps(measured(*sys.argv[1:])))
        return
    source = pathlib.Path(__file__).parents[3] / "packages/python/src/codex_wire/types"
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as cache:
        os.environ["PYTHONPYCACHEPREFIX"] = cache
        print("| module | library | source | import | first line | lines/s read | written |")
        print("|---|---|---:|---:|---:|---:|---:|")
        for name in MODULES:
            for flavour, folder in (("pydantic", ""), ("msgspec", "msgspec/")):
                found = best(flavour, name)
                size = (source / f"{folder}{name}.py").stat().st_size
                speeds = [f"{found['lines'] / found[key]:,.0f}" for key in ("read", "write")]
                times = [f"{found[key] * 1000:.0f} ms" for key in ("import", "first")]
                print(f"| `{name}` | {flavour} | {size / 1000:.0f} kB |", " | ".join(times + speeds), "|")


main()
