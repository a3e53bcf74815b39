#!/usr/bin/env python3
"""A client of `codex exec` whose buffer for a line is too small. It trusts the exit status."""

import json
import subprocess
import sys

run = subprocess.Popen(
    ["codex", "exec", "--json", "Hi."], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
)
text = ""
while line := run.stdout.readline(64 << 10):
    try:
        event = json.loads(line)
    except ValueError:
        continue
    item = event.get("item", {})
    if event["type"] == "item.completed" and item["type"] == "agent_message":
        text = item["text"]
print(text)
sys.exit(run.wait())
