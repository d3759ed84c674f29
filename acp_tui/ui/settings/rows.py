"""The settings in rows, and what is said of one: pure, from what counts now."""

import re
import shlex
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

from textual.content import Content

from acp_tui.errors import UserFault
from acp_tui.frozen import Frozen
from acp_tui.host.config.preferences import Preferences
from acp_tui.host.config.settings_table import SETTINGS, Setting
from acp_tui.safe_text import one_line
from acp_tui.session.text.phrases import counted
from acp_tui.session.text.secret_masking import masked_value
from acp_tui.ui.kit.theme import MUTED
from acp_tui.views.formatting import home_path

Kind = Literal["switch", "choice", "text", "words", "table", "number"]

NAME, SOURCE, GAP = max(map(len, SETTINGS)), 12, 2  # cells
VALUE_AT_LEAST = 14  # cells; where a row would leave less, it does without the source
VALUE_AT_MOST = 300  # characters of it
WORDS = {
    "command line": "command line",
    "folder": "this folder",
    "project": "project",
    "user": "your file",
    "key": "set by key",
    "default": "default",
}


class SettingRow(Frozen):
    """One setting: its value in words and where that comes from."""

    setting: Setting
    value: str
    source: str


def kind_of(setting: Setting) -> Kind:
    """How a setting is changed."""
    kinds: dict[type, Kind] = {bool: "switch", int: "number", dict: "table", tuple: "words"}
    text: Kind = "choice" if setting.choices or setting.name == "theme" else "text"
    return kinds.get(type(setting.default), text)


def rows_of(preferences: Preferences) -> list[SettingRow]:
    return [
        SettingRow(setting, in_words(setting, preferences.get(name, object)), _source(preferences, name))
        for name, setting in SETTINGS.items()
    ]


def in_words(setting: Setting, value: Any) -> str:
    """A value as it is shown, without secrets."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return counted(len(value), setting.name.removesuffix("s")) if value else "none"
    return one_line(as_line(masked_value(value)), VALUE_AT_MOST) or setting.unset


def as_line(value: object) -> str:
    """A text, or words as in a shell."""
    return shlex.join(value) if isinstance(value, tuple) else str(value)


def question(setting: Setting) -> str:
    """What is asked for where a setting is written."""
    return f"{setting.name}: {', '.join(setting.choices) or setting.about}"


def number_of(line: str) -> int:
    """The whole number in a line; raises `UserFault`."""
    try:
        return int(line.strip().replace(",", "").replace("_", ""))
    except ValueError as error:
        raise UserFault("Not a whole number", one_line(line, VALUE_AT_MOST)) from error


def words_of(setting: Setting, line: str) -> list[str]:
    """The words in a line: as in a shell, or items with blanks or commas between. Raises `UserFault`."""
    if setting.choices:
        return re.findall(r"[^\s,]+", line)
    try:
        return shlex.split(line)
    except ValueError as error:
        raise UserFault("Not a list of words", str(error)) from error


def _source(preferences: Preferences, name: str) -> str:
    return "until you quit" if preferences.passing(name) else WORDS[preferences.source(name)]


def draw(row: SettingRow) -> Callable[[int], Content]:
    def drawn(width: int) -> Content:
        room = width - NAME - SOURCE - 2 * GAP
        value = row.value if room < VALUE_AT_LEAST else _fitted(row.value, room)
        style = MUTED if row.source == WORDS["default"] else "bold"
        parts = [(row.setting.name.ljust(NAME + GAP), ""), (value, style)]
        return Content.assemble(*parts, *([(" " * GAP + row.source, MUTED)] if room >= VALUE_AT_LEAST else []))

    return drawn


def _fitted(text: str, width: int) -> str:
    content = Content(text)
    if content.cell_length > width:
        content = content.truncate(width, ellipsis=True)
    return content.plain + " " * (width - content.cell_length)


def about(row: SettingRow, preferences: Preferences) -> list[str]:
    """What a setting does, and where its value comes from, in two lines."""
    setting = row.setting
    default = in_words(setting, setting.default)
    at = preferences.place(setting.name)
    place = str(replace(at, field=""))
    source = preferences.source(setting.name)
    where = {
        "command line": "Set on the command line for this run",
        "folder": f"Set for this folder in your file, {place.rpartition(', ')[2]}",
        "project": f"Set by the project: {place}",
        "user": f"Set in your file, {place.rpartition(', ')[2]}",
        "key": "Set by key; your config file overrides it",
        "default": "",
    }[source]
    if preferences.passing(setting.name):
        where = f"Set by key until you quit; then {place} applies"
    told = [setting.about, " · ".join(filter(None, (home_path(where), f"Default: {default}")))]
    return [one_line(line, VALUE_AT_MOST) for line in told]


def searched(row: SettingRow) -> tuple[str, ...]:
    setting = row.setting
    return setting.name, setting.name.replace("_", " "), setting.group, setting.about, row.value, row.source
