"""Changing the agent's config options, and keeping what was chosen for the next sessions."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from textual.app import App
from textual.content import Content

from acp_tui.host.config.choices import Choice as KeptChoice
from acp_tui.protocol.vocabulary.config_options import ConfigOption
from acp_tui.session.changes import ConfigOptionsChanged
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.kit.picker import Picker, meant_by
from acp_tui.ui.kit.session_view import News, SessionView, say, toast_under
from acp_tui.ui.kit.theme import KEY, MUTED
from acp_tui.ui.prompt.banners import Banner, Banners
from acp_tui.ui.render.text import sanitise_line
from acp_tui.views.formatting import SEPARATOR, brief
from acp_tui.views.options import (
    DESCRIPTION,
    FIXED,
    TITLE,
    OptionChoice,
    altered_line,
    first_of,
    keep_question,
    names_line,
    no_option,
    option_name,
    steps,
    value_choices,
    value_name,
)
from acp_tui.views.row_search import PickerRow, list_opening
from acp_tui.views.undo import lowered

LEAST, SHORT = 24, "Save default?"  # cells of the question, and what is asked where there are fewer


class OptionActions:
    """What the user can do with the options of a session. What came of it shows in the session."""

    def __init__(self, view: SessionView) -> None:
        self._view, self._client, self._session = view, view.client, view.session

    def step(self, category: str) -> None:
        option = self._first(category)
        if option is not None:
            self._step(option)

    def change(self, category: str) -> None:
        option = self._first(category)
        if option is None:
            return
        if steps(option):
            self._step(option)
        else:
            self.pick((category,))

    def change_option(self, option_id: str) -> None:
        option = next((option for option in self._session.config_options if option.id == option_id), None)
        if option is None:
            self.show_all()
        elif option.is_switch:
            self._step(option)
        else:
            self._open([option])

    def pick(self, categories: tuple[str, ...], words: str = "") -> None:
        """Choose the value of the first category that `words` mean; where that is not one, from a list."""
        option = self._first(categories[0])
        if option is None:
            return
        choices = value_choices([option])
        meant = meant_by(words, choices, lambda choice: (str(choice.value), choice.name))
        if meant is not None and meant.current:
            self._view.say(f"{option_name(option)} is already {meant.name}")
        elif meant is not None:
            self.choose(meant)
        else:
            others = (each for each in self._session.config_options if each.category in categories)
            self._open([option, *(each for each in others if each is not option)], words)

    def ask(self, what_for: str, categories: Sequence[str], then: Callable[[OptionChoice | None], None]) -> None:
        """Have a value of these categories chosen, for `then`, which does `what_for`; nothing is set here."""
        options = [option for each in categories for option in self._session.config_options if option.category == each]
        if options:
            self._open(options, what_for=what_for, then=then)
        else:
            self._view.say(no_option(*categories))

    def show_all(self) -> None:
        options = self._session.config_options
        if not options:
            self._view.say("This agent has no options")
            return
        rows = [
            PickerRow(
                option.id,
                option_name(option),
                brief(option.description or "", DESCRIPTION),
                hint=value_name(option) + (FIXED if option.id in self._session.config_fixed else ""),
            )
            for option in options
        ]
        self._view.open(Picker("Options", rows), self._option_picked)

    def _option_picked(self, option_id: str | None) -> None:
        if option_id is not None:
            self.change_option(option_id)

    def _open(
        self,
        options: Sequence[ConfigOption],
        words: str = "",
        *,
        what_for: str = "",
        then: Callable[[OptionChoice | None], None] | None = None,
    ) -> None:
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
        title = SEPARATOR.join(option_name(option, TITLE) for option in options[:3])
        if options[0].category == "model" and not what_for:
            others = [lowered(option_name(option, TITLE)) for option in options[1:3]]
            title = " and ".join(("Model", ", ".join(others))) if others else "Choose a model"
        title, query = list_opening(f"{what_for}: {title}" if what_for else title, rows, words)
        self._view.open(Picker(title, rows, query=query), then or self.choose)

    def choose(self, choice: OptionChoice | None) -> None:
        """Have the agent set the value; that of a picker which was left is none."""
        if choice is None or choice.current or self._fixed(choice.option_id):
            return
        if any(option.id == choice.option_id for option in self._session.config_options):
            self._client.of(self._session).choose(choice.option_id, choice.value)
        else:
            self._view.say(f"The agent removed this option; {choice.name} was not set")

    def _step(self, option: ConfigOption) -> None:
        value = option.next_value(self._session.config_in_flight.get(option.id))
        if self._fixed(option.id):
            return
        if value is None:
            self._view.say(f"{option_name(option)} has only one value")
        else:
            self._client.of(self._session).choose(option.id, value)

    def _fixed(self, option_id: str) -> bool:
        reason = self._session.config_fixed.get(option_id)
        if reason is not None:
            self._view.say(f"Cannot change this option: {sanitise_line(reason, 200)}")
        return reason is not None

    def _first(self, category: str) -> ConfigOption | None:
        option = first_of(self._session.config_options, category)
        if option is None:
            self._view.say(no_option(category))
        return option


def offer_banner(question: str) -> Banner:
    """The question with its keys, shorter where there is little room."""
    keys = (first_way("keep_choices"), KEY), (" yes · ", MUTED), (first_way("decline_choices"), KEY), (" no", MUTED)
    return Banner([(words, Content.assemble(*keys)) for words in (question, SHORT)], "", LEAST)


class KeptOptions:
    """Whether the options that the user chose are kept for the next sessions with this agent: asked once, in a line."""

    def __init__(self, view: SessionView, banners: Banners) -> None:
        self._view, self._banners = view, banners
        self._offered: tuple[KeptChoice, ...] = ()

    def look(self) -> None:
        self._offered = self._view.client.kept.unknown(self._chosen())
        offered = self._offered
        self._banners.put("offer", *([offer_banner(keep_question(offered, self._view.session))] if offered else []))

    def pass_by(self) -> None:
        """The user goes on without an answer: enough asked about these, in the next sessions too."""
        if self._offered:
            self.decline()

    def keep(self) -> None:
        kept = self._view.client.kept
        chosen = kept.unkept(self._chosen())
        if not chosen:
            self._view.say("Nothing new to save", 4)
            return
        kept.keep(chosen)
        self.look()
        self._view.say(f"Saved as defaults: {names_line(chosen)}", 4)

    def decline(self) -> None:
        kept = self._view.client.kept
        if unknown := kept.unknown(self._chosen()):
            kept.decline(unknown)
            self.look()

    def forget(self) -> None:
        self._view.client.kept.forget()
        self.look()
        self._view.say("Saved defaults cleared", 4)

    def _chosen(self) -> Iterable[KeptChoice]:
        return self._view.client.of(self._view.session).chosen.made


def announce_options(app: App[Any], change: ConfigOptionsChanged) -> None:
    """Say why a choice was refused, and what else a choice altered."""
    if change.refused:
        toast_under(app, "Refused by the agent", (change.refused,), "warning", News)
    if told := altered_line(change):
        say(app, told, 4, news=True)
