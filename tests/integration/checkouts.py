"""A checkout with everything that npm, npx, uv and uvx look for in a folder, all of which wants its own code to run."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.integration.packages import NAME, VERSION, Registry, npm_program, registry

BOUND = 60  # seconds


@dataclass
class Checkout:
    """A project that wants its own code to be run, and what it names."""

    folder: Path
    evil: Registry
    good: Registry

    @property
    def marks(self) -> list[str]:
        """What of the project was run."""
        return sorted(path.name for path in self.folder.glob("ran-*"))


@contextmanager
def hostile_checkout(tmp_path: Path, private_folders: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Checkout]:
    """The checkout as the current folder, with registries on this machine in the user's own settings."""
    with registry("project") as evil, registry("registry") as good:
        folder = tmp_path / "checkout"
        monkeypatch.setenv("PATH", f"node_modules/.bin:{folder}/.venv/bin:{os.environ['PATH']}")
        (private_folders / ".npmrc").write_text(f"registry={good.address}\nupdate-notifier=false\naudit=false\n")
        uv = private_folders / ".config" / "uv"
        uv.mkdir(parents=True)
        (uv / "uv.toml").write_text(f'index-url = "{good.address}/simple"\n')
        for name in [name for name in os.environ if name.lower().startswith(("npm_", "uv_"))]:
            monkeypatch.delenv(name)
        _fill(folder, evil.address)
        monkeypatch.chdir(folder)
        yield Checkout(folder, evil, good)


def _fill(folder: Path, address: str) -> None:
    """Everything that npx, uvx and what finds versions for them look for."""
    package = folder / "node_modules" / NAME
    package.mkdir(parents=True)
    (folder / ".git").mkdir()
    (package / "package.json").write_text(json.dumps({"name": NAME, "version": VERSION, "bin": {NAME: "agent.js"}}))
    program(package / "agent.js", npm_program("project"))
    for place in (folder / "node_modules" / ".bin", folder / ".venv" / "bin"):
        for name in ("sh", "node", "npm", "npx", "uvx", "uv", "python3", "python", "env"):
            program(place / name, f"#!/bin/sh\n: > {folder}/ran-{name}\nexit 1\n")
    (folder / "node_modules" / ".bin" / NAME).symlink_to(f"../{NAME}/agent.js")
    program(folder / "shell", f"#!/bin/sh\n: > {folder}/ran-shell\nexit 1\n")
    (folder / "hook.js").write_text(f"require('fs').writeFileSync('{folder}/ran-hook', '')")
    (folder / ".npmrc").write_text(
        f"registry={address}\nscript-shell={folder}/shell\n"
        f"node-options=--require {folder}/hook.js\ncache={folder}/cache\n"
    )
    (folder / "package.json").write_text(
        json.dumps({"name": NAME, "bin": {NAME: "hook.js"}, "workspaces": ["node_modules/*"]})
    )
    (folder / "uv.toml").write_text(f'index-url = "{address}/simple"\n')
    (folder / "pyproject.toml").write_text(
        f'[project]\nname = "x"\nversion = "1"\n[tool.uv]\nindex-url = "{address}/simple"\n'
    )
    (folder / ".env").write_text(f"UV_INDEX_URL={address}/simple\n")
    (folder / ".venv" / "pyvenv.cfg").write_text("home = /usr/bin\n")


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
