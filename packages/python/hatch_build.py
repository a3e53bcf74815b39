"""What hatchling cannot read out of `pyproject.toml`.

Version and links come from the Cargo workspace and from `packages/project.json`, so that they stand in one
place. A source distribution has neither file: hatchling then reads its `PKG-INFO`.

A wheel holds the program if two variables of the environment are set, as `cargo xtask pack python` does:
`CODEX_WIRE_PACK_PROGRAM` is its path, `CODEX_WIRE_PACK_PLATFORM` the platform tag. Otherwise the wheel is
pure Python.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PROGRAM = "codex-wire"


class FromTheWorkspace(MetadataHookInterface):
    """Version and links."""

    def update(self, metadata: dict[str, Any]) -> None:
        packages = Path(self.root).parent
        cargo = tomllib.loads((packages.parent / "Cargo.toml").read_text(encoding="utf-8"))
        project = json.loads((packages / "project.json").read_text(encoding="utf-8"))
        repository = f"https://github.com/{project['repository']}"
        metadata["version"] = cargo["workspace"]["package"]["version"]
        metadata["urls"] = {
            "Repository": repository,
            "Documentation": f"{repository}/tree/main/docs",
            "Changelog": f"{repository}/blob/main/CHANGELOG.md",
        }


class WithTheProgram(BuildHookInterface[Any]):
    """Puts the programs beside the scripts of a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        program = os.environ.get("CODEX_WIRE_PACK_PROGRAM")
        if not program or version == "editable":
            return
        platform = os.environ["CODEX_WIRE_PACK_PLATFORM"]
        suffix = ".exe" if platform.startswith("win") else ""
        build_data["shared_scripts"][program] = PROGRAM + suffix
        # What writes tables, where it was built.
        table = os.path.join(os.path.dirname(program), f"{PROGRAM}-table{suffix}")
        if os.path.isfile(table):
            build_data["shared_scripts"][table] = f"{PROGRAM}-table{suffix}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
