"""Settings as rows: each by its human name, its value in words and where that comes from, in groups that may expand."""

import re
import shlex
from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from acp_tui.errors import UserFault
from acp_tui.frozen import Frozen
from acp_tui.host.config.preferences import Preferences
from acp_tui.host.config.settings_table import SETTINGS, Setting
from acp_tui.safe_text import one_line
from acp_tui.session.text.phrases import counted
from acp_tui.session.text.secret_masking import masked_value
from acp_tui.views.formatting import SEPARATOR, home_path
from acp_tui.views.row_search import SearchIndex, SearchTexts

Kind = Literal["switch", "choice", "text", "words", "table", "number"]

VALUE_AT_MOST = 300  # characters
SOURCES = {
    "command line": "command line",
    "folder": "this folder",
    "project": "project",
    "user": "your file",
    "key": "by shortcut",
    "default": "default",
}


class SettingRow(Frozen):
    """One setting: its value in words and where that comes from."""

    setting: Setting
    value: str
    source: str

    @property
    def title(self) -> str:
        return self.setting.title

    @property
    def group(self) -> str:
        return self.setting.group


class SettingGroup(Frozen):
    """Settings that are seldom changed: one row by its title, and theirs below it if it is expanded."""

    title: str
    group: str
    rows: tuple[SettingRow, ...]
    expanded: bool

    @property
    def value(self) -> str:
        return "" if self.expanded else counted(len(self.rows), "setting")


Listed: TypeAlias = SettingRow | SettingGroup


def kind_of(setting: Setting) -> Kind:
    kinds: dict[type, Kind] = {bool: "switch", int: "number", dict: "table", tuple: "words"}
    text: Kind = "choice" if setting.choices or setting.name == "theme" else "text"
    return kinds.get(type(setting.default), text)


def rows_of(preferences: Preferences) -> list[SettingRow]:
    return [
        SettingRow(setting, _value(setting, preferences), _source(preferences, name))
        for name, setting in SETTINGS.items()
    ]


def found_rows(query: str, rows: Iterable[SettingRow], expanded: Container[str]) -> list[Listed]:
    """The rows that answer the query, by their names here and in the file; without one all, in their groups."""
    if query.strip():
        return [*SearchIndex(rows, _texts).find(query)]
    return [*_in_groups(list(rows), expanded)]


def _in_groups(rows: list[SettingRow], expanded: Container[str]) -> Iterator[Listed]:
    begun: set[str] = set()
    for row in rows:
        under = row.setting.under
        if under and under not in begun:
            begun.add(under)
            members = tuple(each for each in rows if each.setting.under == under)
            yield SettingGroup(under, row.setting.group, members, under in expanded)
        if not under or under in expanded:
            yield row


def _texts(row: SettingRow) -> SearchTexts:
    one = row.setting
    return SearchTexts(
        (one.title, one.name), one.name.replace("_", " "), (one.group, one.under, one.about, row.value, row.source)
    )


def in_words(setting: Setting, value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if setting.is_table:
        return counted(len(value), setting.name.removesuffix("s")) if value else setting.unset
    words = setting.labels.get(value) if isinstance(value, str) else None
    return words or one_line(as_line(masked_value(value)), VALUE_AT_MOST) or setting.unset


def _value(setting: Setting, preferences: Preferences) -> str:
    if preferences.source(setting.name) == "default":
        return by_default(setting)
    return in_words(setting, preferences.get(setting.name, object))


def by_default(setting: Setting) -> str:
    """What counts if nothing is set; that may be more than a value can say."""
    automatic = setting.default is False and setting.unset == "automatic"
    return setting.unset if automatic else in_words(setting, setting.default)


def as_line(value: object) -> str:
    """A text, or words as in a shell."""
    return shlex.join(value) if isinstance(value, tuple) else str(value)


def question(setting: Setting) -> str:
    return f"{setting.title}: {', '.join(setting.choices) or setting.about}"


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
        raise UserFault("Unmatched quote", str(error)) from error


def _source(preferences: Preferences, name: str) -> str:
    return "until you quit" if preferences.passing(name) else SOURCES[preferences.source(name)]


def about(row: Listed, preferences: Preferences) -> list[str]:
    """What a setting does; its name in the file, and where its value comes from; in two lines."""
    if isinstance(row, SettingGroup):
        names = [each.setting.name for each in row.rows]
        return [", ".join(each.setting.title for each in row.rows), SEPARATOR.join(names)]
    setting = row.setting
    at = preferences.place(setting.name)
    place = str(replace(at, field=""))
    where = {
        "command line": "Set on the command line for this run",
        "folder": f"Set for this folder in your file, {place.rpartition(', ')[2]}",
        "project": f"Set by the project: {place}",
        "user": f"Set in your file, {place.rpartition(', ')[2]}",
        "key": "Set with a shortcut; your config file overrides it",
        "default": "",
    }[preferences.source(setting.name)]
    if preferences.passing(setting.name):
        where = f"Set with a shortcut until you quit; then {place} applies"
    parts = (setting.name, home_path(where), f"Default: {by_default(setting)}")
    return [one_line(line, VALUE_AT_MOST) for line in (setting.about, SEPARATOR.join(filter(None, parts)))]
