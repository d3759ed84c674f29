"""One table has the settings: what a file may say, its template and the schema are made from it."""

import json
import tomllib
from typing import Any

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.config.config import ConfigFile, own_file
from acp_tui.host.config.settings import (
    AgentSettings,
    FileSettings,
    McpServerSettings,
    Settings,
    config_schema,
    template,
)
from acp_tui.host.config.settings_table import SETTINGS, Setting, example_line
from tests.rows import each_of
from tests.unit.protocol.official import Draft202012Validator

SCHEMA = config_schema()
EXAMPLE = "\n".join(
    line.removeprefix("# ").removeprefix("#")
    for line in template().splitlines()
    if "=" in line or line.startswith("# [")
)
"""The template with all of its examples used."""

GOOD = (
    "",
    template(),
    EXAMPLE,
    "agents.a.protocol = 2\nagents.a.fs = 'write'\n",
    "status_command = 'date'\n",
    "status_command = ['date', '+%H']\nstatus_line = ['model', 'cost']\n",
    "[keys]\nfind = []\nhelp = ['f1', 'f2']\n",
    "[agents.a]\n",
)
BAD = (
    "theme = 1\n",
    "mouse = 'yes'\n",
    "editing = 'emacs'\n",
    "status_line = ['modle']\n",
    "notifications = true\n",
    "[agents.a]\nargs = 'x'\n",
    "agents.a.protocol = 3\n",
    "agents.a.fs = 'read'\n",
    "agents.'' = {}\n",
    "[agents.a.mcp_servers.b]\ntype = 'pipe'\n",
)


def usable(text: str) -> bool:
    try:
        return not ConfigFile(own_file(), text).settings.model_extra
    except UserFault:
        return False


@pytest.mark.parametrize("kind", Settings.__subclasses__())
def test_every_setting_has_words(kind: type[Settings]) -> None:
    words = [field.description or "" for field in kind.model_fields.values()]
    assert all(each and each == each.strip() and not each.endswith(".") for each in words)


@each_of("setting", SETTINGS.values())
def test_a_default_is_a_value_that_a_file_may_say(setting: Setting) -> None:
    made = FileSettings.model_validate({setting.name: setting.default})
    assert getattr(made, setting.name) == setting.default == getattr(FileSettings(), setting.name)
    assert type(getattr(made, setting.name)) is type(setting.default)


@each_of(
    ("example", "line"),
    [
        ("1", "x = 1"),
        ("1  # one", f"x = 1{'':28}# one"),
        (f'"{"y" * 40}"   # long', f'x = "{"y" * 40}"   # long'),
    ],
)
def test_notes_of_the_template_stand_in_line(example: str, line: str) -> None:
    assert example_line("x", example) == line


def examples(text: str) -> dict[str, Any]:
    return tomllib.loads(text)


def test_the_template_has_an_example_of_every_setting() -> None:
    said = examples(EXAMPLE)
    assert set(said) == set(SETTINGS)
    (agent,) = said["agents"].values()
    assert set(agent) == set(AgentSettings.model_fields) - {"description", "package"}
    servers = agent["mcp_servers"].values()
    assert set().union(*servers) == set(McpServerSettings.model_fields) - {"env"}
    assert ConfigFile(own_file(), EXAMPLE).warnings == ()


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    settings = sum(len(kind.model_fields) for kind in (FileSettings, AgentSettings, McpServerSettings))
    assert json.dumps(SCHEMA).count('"description"') >= settings


@each_of("text", GOOD)
def test_what_can_be_used_is_valid(text: str) -> None:
    assert usable(text)
    assert list(Draft202012Validator(SCHEMA).iter_errors(tomllib.loads(text))) == []


@each_of("text", BAD)
def test_what_cannot_be_used_is_not_valid(text: str) -> None:
    assert not usable(text)
    assert list(Draft202012Validator(SCHEMA).iter_errors(tomllib.loads(text))) != []


@pytest.mark.parametrize("text", ["them = 'x'\n", "[agents.a]\ncomand = 'x'\n", "agents.a.mcp_servers.b.ulr = 'x'\n"])
def test_a_name_that_is_none_is_not_valid(text: str) -> None:
    assert list(Draft202012Validator(SCHEMA).iter_errors(tomllib.loads(text))) != []
