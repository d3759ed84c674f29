"""The words of the settings and what they may be say the same; the schema is made from both."""

import json
import tomllib
from typing import Any, get_args

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.config.config import ConfigFile, own_file
from acp_tui.host.config.settings import TEMPLATE, FileSettings, Settings, StatusItem, config_schema
from acp_tui.host.config.words import AGENT, MCP_SERVER, SETTINGS, STATUS_ITEMS
from tests.rows import each_of
from tests.unit.protocol.official import Draft202012Validator

SCHEMA = config_schema()
EXAMPLE = "\n".join(
    line.removeprefix("# ").removeprefix("#")
    for line in TEMPLATE.read_text().splitlines()
    if "=" in line or line.startswith("# [")
)
"""The template with all of its examples used."""

GOOD = (
    "",
    TEMPLATE.read_text(),
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
    assert set(kind.words) == set(kind.model_fields)
    assert all(words == words.strip() and not words.endswith(".") for words in kind.words.values())


@each_of("name", SETTINGS)
def test_defaults_and_choices_are_those_of_the_file(name: str) -> None:
    field, words = FileSettings.model_fields[name], SETTINGS[name]
    assert words.default == field.default
    args = get_args(field.annotation)
    literal = get_args(args[0]) if args[-1:] == (...,) else args
    assert words.choices == (literal if all(isinstance(each, str) for each in literal) else ())


def test_the_items_of_the_status_line_are_named() -> None:
    assert get_args(StatusItem) == STATUS_ITEMS
    assert ", ".join(STATUS_ITEMS) in SETTINGS["status_line"].about


def examples(text: str) -> dict[str, Any]:
    return tomllib.loads(text)


def test_the_template_has_an_example_of_every_setting() -> None:
    said = examples(EXAMPLE)
    assert set(said) == set(SETTINGS)
    (agent,) = said["agents"].values()
    assert set(agent) == set(AGENT) - {"description", "package"}
    servers = agent["mcp_servers"].values()
    assert set().union(*servers) == set(MCP_SERVER) - {"env"}
    assert ConfigFile(own_file(), EXAMPLE).warnings == ()


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    assert json.dumps(SCHEMA).count('"description"') >= len(SETTINGS) + len(AGENT) + len(MCP_SERVER)


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
