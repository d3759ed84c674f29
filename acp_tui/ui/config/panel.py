"""Changing options: which panel a key opens, and what is asked of the agent; must not know the protocol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.app import App
from textual.screen import Screen

from acp_tui.host.client import Client
from acp_tui.session.state import Session
from acp_tui.session.words import option_name
from acp_tui.ui.config.choices import Choice, first_of, next_value, steps, value_choices, value_name
from acp_tui.ui.config.selectors import FIXED
from acp_tui.ui.render.text import sanitise_line

if TYPE_CHECKING:
    from acp_tui.protocol.config_options import ConfigOption


class OptionActs:
    """What the person can do with the options of a session. What came of it shows in the session."""

    def __init__(self, screen: Screen[None], client: Client, session: Session) -> None:
        self._screen, self._client, self._session = screen, client, session

    def step(self, category: str) -> None:
        """Choose the next value of the category's first option."""
        option = self._first(category)
        if option is not None:
            self._step(option)

    def change(self, category: str) -> None:
        """Toggle or step where that is quick, else open the list."""
        option = self._first(category)
        if option is None:
            return
        if steps(option):
            self._step(option)
        else:
            self.pick((category,))

    def change_option(self, option_id: str) -> None:
        """Toggle this option or open its list; with an empty id open all."""
        option = next((option for option in self._session.config_options if option.id == option_id), None)
        if option is None:
            self.show_all()
        elif option.type == "boolean":
            self._step(option)
        else:
            self._open([option])

    def pick(self, categories: tuple[str, ...]) -> None:
        """Open the list of all options of these categories; the first category must be there."""
        if self._first(categories[0]) is None:
            return
        self._open([option for option in self._session.config_options if option.category in categories])

    def show_all(self) -> None:
        """Open the list of all options."""
        from acp_tui.ui.config.picker import Picker, PickerRow  # noqa: PLC0415 (the first frame does not need it)

        options = self._session.config_options
        if not options:
            self._say("This agent offers no options")
            return
        rows = [
            PickerRow(
                option.id,
                sanitise_line(option_name(option), 60),
                sanitise_line(option.description or ""),
                hint=value_name(option) + (FIXED if option.id in self._session.config_fixed else ""),
            )
            for option in options
        ]
        self._screen.app.push_screen(Picker("Options", rows), self._option_picked)

    def _option_picked(self, option_id: str | None) -> None:
        if option_id is not None:
            self.change_option(option_id)

    def _open(self, options: Sequence[ConfigOption]) -> None:
        from acp_tui.ui.config.picker import Picker, PickerRow  # noqa: PLC0415 (the first frame does not need it)

        rows = [
            PickerRow(
                choice,
                choice.name,
                choice.description,
                choice.heading,
                current=choice.current,
                shortcut=choice.shortcut,
                also=choice.value if isinstance(choice.value, str) else "",
            )
            for choice in value_choices(options, self._client.kept.recent_values)
        ]
        title = " · ".join(sanitise_line(option_name(option), 40) for option in options[:3])
        self._screen.app.push_screen(Picker(title, rows), self._value_picked)

    def _value_picked(self, choice: Choice | None) -> None:
        if choice is None or choice.current or self._fixed(choice.option_id):
            return
        if any(option.id == choice.option_id for option in self._session.config_options):
            self._client.choose(self._session, choice.option_id, choice.value)
        else:
            self._say(f"The agent has taken this option away: {choice.name} was not chosen")

    def _step(self, option: ConfigOption) -> None:
        value = next_value(option, self._session.config_in_flight.get(option.id))
        if self._fixed(option.id):
            return
        if value is None:
            self._say(f"{sanitise_line(option_name(option), 60)} has no other value")
        else:
            self._client.choose(self._session, option.id, value)

    def _fixed(self, option_id: str) -> bool:
        """Whether the option cannot be changed, which is said."""
        reason = self._session.config_fixed.get(option_id)
        if reason is not None:
            self._say(f"This cannot be changed: {sanitise_line(reason, 200)}")
        return reason is not None

    def _first(self, category: str) -> ConfigOption | None:
        option = first_of(self._session.config_options, category)
        if option is None:
            self._say(f"This agent offers no option of the kind “{category.replace('_', ' ')}”")
        return option

    def _say(self, text: str) -> None:
        app: App[object] = self._screen.app
        app.notify(text, markup=False, timeout=3)
