#!/usr/bin/env python3
"""A client that fails, whatever Codex does: `fails.py BEFORE|AFTER` a run of `codex exec`."""

import subprocess
import sys

if sys.argv[1] == "AFTER":
    subprocess.run(["codex", "exec", "--json", "Hi."], stdin=subprocess.DEVNULL)
print("no configuration: run `fails init`", file=sys.stderr)
sys.exit(1)
