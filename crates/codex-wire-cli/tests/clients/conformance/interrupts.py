#!/usr/bin/env python3
"""A client of `codex exec` that interrupts whoever runs it, in its third run: `interrupts.py FILE`. The file gets a
line for each run."""

import json
import os
import signal
import subprocess
import sys
import time

with open(sys.argv[1], "a+") as file:
    file.write("run\n")
    file.seek(0)
    runs = len(file.readlines())
if runs == 3:
    os.kill(os.getppid(), signal.SIGINT)
    time.sleep(60)
run = subprocess.run(
    ["codex", "exec", "--json", "Hi."], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
)
ends = [json.loads(line)["type"] for line in run.stdout.splitlines()]
sys.exit(0 if "turn.completed" in ends else 1)
