"""Writes what of README.md and docs/ is made from the program: `python -m tests.house.pages`.

A part stands between `<!-- NAME -->` and `<!-- /NAME -->`; `PARTS` says what makes it.
"""

import argparse
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from acp_tui.arguments.help_texts import WORDS
from acp_tui.arguments.parsers import parser
from acp_tui.host.catalog.agent_entries import KNOWN_AGENTS
from acp_tui.host.config.settings import config_schema, template
from acp_tui.host.config.toml_edit import toml
from acp_tui.ui.commands.key_table import beginner_table, key_table
from acp_tui.ui.commands.registry import COMMANDS
from acp_tui.ui.prompt.vim_commands import (
    ACTIONS,
    MOTIONS,
    OBJECTS,
    OPERATORS,
    REDO,
    VISUAL,
    VISUAL_ACTIONS,
    Action,
    Motion,
    Operator,
)
from tests.benchmarks.outside import page as benchmarks

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "docs" / "config.schema.json"
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
WORKS = tomllib.loads(Path(__file__).with_name("works.toml").read_text(encoding="utf-8"))["group"]
PART = re.compile(r"(?<=<!-- )([a-z-]+)( -->\n)(.*?)(?=<!-- /\1 -->)", re.DOTALL)


def made(page: str) -> str:
    """The page with every part as it is made now. Raises KeyError for a part that nothing makes."""
    return PART.sub(lambda found: f"{found[1]}{found[2]}{PARTS[found[1]]()}", page)


def _table(heads: Sequence[str], rows: Iterator[Sequence[str]] | Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|")


def _first_keys() -> str:
    return _table(("Key", "What it does"), [(_escaped(row.keys), _escaped(row.words)) for row in beginner_table()])


def _keys() -> str:
    return _table(("Where", "Key", "What it does"), [[*map(_escaped, row)] for row in key_table()])


class SlashRow(NamedTuple):
    """A slash command of the client: `name` with its argument, `others` that do the same, and what it does.

    `owner` says whose it is where the agent has one of that name too.
    """

    name: str
    others: str
    words: str
    owner: str


def slash_table() -> list[SlashRow]:
    """Every command that has a slash name, in the order of the help."""
    return [
        SlashRow(
            f"/{each.slash[0]} {each.argument}".rstrip(),
            ", ".join(f"/{name}" for name in each.slash[1:]),
            each.tooltip,
            _owner(each.wins, [f"/{name}" for name in each.slash if not each.claims(name)]),
        )
        for each in COMMANDS
        if each.slash
    ]


def _owner(wins: bool, yields: list[str]) -> str:
    if not wins:
        return "agent"
    return f"client ({', '.join(yields)}: agent)" if yields else "client"


def _slash_commands() -> str:
    heads = ("Command", "Also", "What it does", "Takes precedence")
    return _table(heads, [[_names(row.name), _names(row.others), *map(_escaped, row[2:])] for row in slash_table()])


def _names(names: str) -> str:
    return ", ".join(f"`{name}`" for name in names.split(", ") if name)


class VimRow(NamedTuple):
    """A row of the table of vim's keys."""

    where: str
    keys: str
    words: str


def vim_rows() -> Iterator[VimRow]:
    """All keys of vim, one row for objects that are the same; what has no words is told of by another row."""
    tables: dict[str, Mapping[str, Motion | Action | Operator]] = {
        "Motion": MOTIONS,
        "Normal mode": ACTIONS,
        "Visual mode": {**VISUAL, **VISUAL_ACTIONS},
    }
    rows = dict[str, list[VimRow]]()
    for where, table in tables.items():
        named = {"Ctrl+R" if key == REDO else key: each.words for key, each in table.items()}
        rows[where] = [VimRow(where, key, words) for key, words in named.items() if words]
    yield from rows["Motion"]
    for key, operator in OPERATORS.items():
        yield VimRow("Operator", key, f"{operator.words} (followed by a motion or text object)")
        yield VimRow("Operator", key * 2, f"{operator.words} whole lines")
    for words in dict.fromkeys(each.words for each in OBJECTS.values()):
        signs = [key for key, each in OBJECTS.items() if each.words == words]
        yield VimRow("Text object", " ".join(f"i{sign} a{sign}" for sign in signs), words)
    yield from rows["Normal mode"]
    yield VimRow("Normal mode", "1–999", "Count, before a key or a motion")
    yield from rows["Visual mode"]
    yield VimRow("Insert and visual mode", "Esc", "Normal mode")


def _vim_keys() -> str:
    rows = ([row.where, " ".join(map(_code, row.keys.split(" "))), _escaped(row.words)] for row in vim_rows())
    return _table(("Where", "Keys", "What it does"), rows)


def _code(key: str) -> str:
    """A key as it is typed; one backtick more than it has itself holds it."""
    return f"`` {key} ``" if "`" in key else f"`{key}`"


def _works() -> str:
    return _table(("", "What works"), [(group["name"], group["summary"]) for group in WORKS])


def _all_works() -> str:
    def tables() -> Iterator[str]:
        for group in WORKS:
            rows = [(what, ", ".join(f"`{test}`" for test in tests)) for what, *tests in group["rows"]]
            yield f"\n## {group['name']}\n\n{_table(('What', 'Tests'), rows)}"

    return "".join(tables()) + "\n"


def _agents() -> str:
    rows = [(one.title, f"`{one.name}`", f"`{one.argv[0]}`", _get(one.install, one.homepage)) for one in KNOWN_AGENTS]
    return _table(("Agent", "Name", "Program", "Install"), rows)


def _get(command: str, page: str) -> str:
    return f"`{command}`" if command else f"see <{page}>"


def _settings() -> str:
    return f"```toml\n{template()}```\n"


def _reference() -> str:
    """Every setting of a config file, a table for each of its tables."""
    schema = config_schema()
    tables = {
        "The file": schema,
        "`[agents.NAME]`": schema["$defs"]["AgentSettings"],
        '`[folders."PATH"]`': schema["$defs"]["FolderSettings"],
        "`[….mcp_servers.NAME]`": schema["$defs"]["McpServerSettings"],
        "`[limits]`": schema["$defs"]["LimitTable"],
    }

    def rows(table: Mapping[str, Any]) -> Iterator[Sequence[str]]:
        for name, field in table["properties"].items():
            default = f"`{toml(field['default'])}`" if field.get("default") not in (None, "", [], {}) else ""
            yield f"`{name}`", _escaped(_values(field)), default, _escaped(field["description"])

    heads = ("Setting", "Values", "Default", "Description")
    return "".join(f"\n### {name}\n\n{_table(heads, rows(table))}" for name, table in tables.items()) + "\n"


def _values(field: Mapping[str, Any]) -> str:
    if "anyOf" in field:
        return ", ".join(map(_values, field["anyOf"]))
    if "enum" in field or "const" in field:
        return ", ".join(f"`{toml(value)}`" for value in field.get("enum", [field.get("const")]))
    if "$ref" in field:
        return "table"
    if field["type"] == "array":
        inner = _values(field["items"])
        return "list of strings" if inner == "string" else f"list of {inner}"
    if field["type"] in ("integer", "number"):
        return f"{field['minimum']:,} to {field['maximum']:,}"
    return {"boolean": "`true`, `false`", "string": "string", "object": "table"}[field["type"]]


def made_schema() -> str:
    return json.dumps(config_schema(), indent=2) + "\n"


def _options() -> str:
    return "\n" + "\n".join(map(_command, WORDS)) + "\n"


def _command(name: str) -> str:
    words, rows = (
        WORDS[name],
        [(_escaped(_spelled(one)), _escaped(one.help or "")) for one in parser(name)._actions if _shown(one)],
    )
    usage = [line.strip() for line in words.usage.splitlines()]
    written = "\n".join([*usage, "", *(line.removeprefix("  ") for line in words.examples.splitlines())])
    about = " ".join(words.about.split())
    table = _table(("Argument", "Description"), rows)
    return f"## `{f'acp-tui {name}'.rstrip()}`\n\n{about}\n\n```\n{written}\n```\n\n{table}"


def _shown(action: argparse.Action) -> bool:
    return action.help is not argparse.SUPPRESS


def _spelled(action: argparse.Action) -> str:
    spelled = ", ".join(f"`{word}`" for word in action.option_strings or [str(action.metavar)])
    if not action.option_strings or action.nargs == 0:
        return spelled
    return f"{spelled} `[{action.metavar}]`" if action.nargs == "?" else f"{spelled} `{action.metavar}`"


PARTS: Mapping[str, Callable[[], str]] = {
    "first-keys": _first_keys,
    "keys": _keys,
    "slash-commands": _slash_commands,
    "vim-keys": _vim_keys,
    "works": _works,
    "all-works": _all_works,
    "agents": _agents,
    "settings": _settings,
    "config-reference": _reference,
    "options": _options,
    "benchmarks": benchmarks.made,
}

if __name__ == "__main__":
    SCHEMA.write_text(made_schema(), encoding="utf-8")
    for page in PAGES:
        page.write_text(made(page.read_text(encoding="utf-8")), encoding="utf-8")
