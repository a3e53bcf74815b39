#!/usr/bin/env python3
"""A client of `codex exec` that leaves a process of another session behind: `leaves.py FILE`. The file gets its
number."""

import json
import subprocess
import sys

left = subprocess.Popen(["sleep", "600"], start_new_session=True)
with open(sys.argv[1], "a") as file:
    file.write(f"{left.pid}\n")
run = subprocess.run(
    ["codex", "exec", "--json", "Hi."], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
)
ends = [json.loads(line)["type"] for line in run.stdout.splitlines()]
sys.exit(0 if "turn.completed" in ends else 1)
