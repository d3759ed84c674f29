"""After the command of an installation has run: its program is there, and the user's config says where."""

import json
from pathlib import Path
from shutil import which
from typing import Any

from acp_tui.errors import UserFault
from acp_tui.host.config.config_writer import write_agent
from acp_tui.host.config.toml_edit import Value
from acp_tui.host.installing.installation import Installation
from acp_tui.safe_text import named, one_line

_TITLE = 60  # characters of what a registry calls an agent


def finish_installation(installation: Installation, exit_code: int) -> str:
    """Check that the program is there, and write it into the user's own config; the absolute path of the program.

    `exit_code` is the command's; call `Roster.read_again` afterwards. Raises `UserFault` that says what to do: the
    command failed, the program is not there, or the config file cannot be written (with the lines to add by hand).
    """
    if exit_code:
        raise UserFault(
            f"{named(installation.title)} was not installed",
            f"The command failed with exit code {exit_code}" if exit_code > 0 else "The command was stopped",
            f"See its output above, or run it yourself: {named(installation.command_line)}",
        )
    program = installed_program(installation)
    values: dict[str, Value] = {
        "title": one_line(installation.title, _TITLE) if installation.origin == "registry" else "",
        "command": program,
        "args": list(installation.args),
        "env": dict(installation.agent_env),
        "package": installation.package.pin,
    }
    write_agent(installation.own, installation.name, {name: value for name, value in values.items() if value})
    return program


def installed_program(installation: Installation) -> str:
    """The absolute path of the program that was installed. Raises `UserFault` where it is not there."""
    expected = Path(installation.program)
    names = [expected.name, *_only_program(installation)]
    found = next((path for name in names if (path := which(name, path=str(expected.parent)))), None)
    if found is None:
        raise UserFault(
            f"{named(installation.package.spec)} was installed, but has no program {named(expected.name)}",
            f"Looked in {named(expected.parent)}",
        )
    return found


def _only_program(installation: Installation) -> list[str]:
    """The program of an npm package that has one only; npx takes that, whatever it is called."""
    if installation.package.kind != "npm":
        return []
    expected = Path(installation.program)
    place = expected.parent.parent / "lib" if expected.parent.name == "bin" else expected.parent
    manifest = place / "node_modules" / installation.package.name / "package.json"
    try:
        told: Any = json.loads(manifest.read_text("utf-8"))
    except (OSError, ValueError):
        return []
    programs = told.get("bin") if isinstance(told, dict) else None
    if not isinstance(programs, dict) or len({str(target) for target in programs.values()}) != 1:
        return []
    return [name for name in programs if name == Path(name).name][:1]
