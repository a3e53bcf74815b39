#!/usr/bin/env python3
"""A client of the app-server that says who it is, and no more."""

import subprocess

info = b'{"id":1,"method":"initialize","params":{"clientInfo":{"name":"idle","version":"1"}}}\n'
subprocess.run(["codex", "app-server"], input=info, stdout=subprocess.DEVNULL)
