"""Folders of doubles, and who removes those that are left. The packages of other languages give them the same names."""

from __future__ import annotations

import os
import re
import shutil
import socket
import tempfile
from pathlib import Path
from urllib.parse import quote


def temporary() -> Path:
    """A folder. Whoever made it removes it; what a process left that was killed, this removes."""
    # Containers may share the folder of temporary files, but not their processes.
    prefix = f"codex-wire-{quote(socket.gethostname(), safe='')}-"
    for left in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        owner = re.fullmatch(r"(\d+)-\w+", left.name.removeprefix(prefix))
        if owner and _is_gone(int(owner[1])):
            shutil.rmtree(left, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=f"{prefix}{os.getpid()}-"))


def _is_gone(pid: int) -> bool:
    """Whether a process is gone. Windows cannot be asked in this way."""
    if os.name == "nt":
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        # That of another user is there.
        pass
    return False
