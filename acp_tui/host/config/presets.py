"""Presets of the user's config file, `[presets.NAME]`: values of session options by category or by an option's id."""

from collections.abc import Mapping

from acp_tui.errors import UserFault
from acp_tui.frozen import Frozen
from acp_tui.host.config.config import ConfigFile
from acp_tui.safe_text import named
from acp_tui.session.text.near_names import near_names

LISTED = 10  # names in a fault


class Preset(Frozen):
    """What is to be set: a glob over names and ids of values, or true or false for a switch, by category or option."""

    name: str
    values: Mapping[str, str | bool]


def presets_of(tables: Mapping[str, Mapping[str, str | bool]]) -> list[Preset]:
    """The presets as the config file has them, in its order."""
    return [Preset(name, values) for name, values in tables.items()]


def own_presets(own: ConfigFile) -> dict[str, Mapping[str, str | bool]]:
    """The values of each preset, by name."""
    return own.says("presets", {})


def preset_named(own: ConfigFile, name: str) -> Preset:
    """The preset with exactly that name. Raises `UserFault` that names the nearest, or those there are."""
    tables = own_presets(own)
    if name in tables:
        return Preset(name, tables[name])
    hint = "Save the current options as one with: /preset"
    if near := near_names(name, tables)[:3]:
        hint = f"Did you mean {' or '.join(map(named, near))}?"
    elif tables:
        more = f" and {len(tables) - LISTED:,} more" if len(tables) > LISTED else ""
        hint = f"Your presets: {', '.join(map(named, [*tables][:LISTED]))}{more}"
    raise UserFault(f"Unknown preset: {named(name)}", hint=hint)
