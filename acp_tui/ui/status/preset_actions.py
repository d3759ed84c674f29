"""Presets on the screen: a list of what each would set here, and saving the current options as one."""

from collections.abc import Awaitable, Callable, Sequence

from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from acp_tui.host.config.presets import Preset, presets_of
from acp_tui.host.sessions.preset_choices import PresetRun, find_matches, preset_values, preset_words
from acp_tui.safe_text import one_line
from acp_tui.startup import late
from acp_tui.ui.kit.picker import AnswerChoice, AskLine, Picker, meant_by
from acp_tui.ui.kit.session_view import SessionView, announce_fault
from acp_tui.ui.kit.theme import MUTED, Hint
from acp_tui.views.options import can_change
from acp_tui.views.row_search import PickerRow, list_opening

NAME, DESCRIPTION = 24, 200  # characters
WRITER = "acp_tui.host.config.config_writer"
SAVE = Preset("", {})  # the row that saves; no preset of a config file has an empty name


class PresetName(AskLine):
    """Asks for a name; `words`, in one row below it, are what is saved under it."""

    DEFAULT_CSS = "PresetName .preset-words { height: 1; margin: 0 1; text-wrap: nowrap; }"

    def __init__(self, words: str, act: Callable[[str], Awaitable[None]]) -> None:
        super().__init__("Preset name", "", act)
        self._words = Static(Content.styled(words, MUTED), classes="preset-words")
        self._words.styles.text_overflow = "ellipsis"

    def content(self) -> Sequence[Widget]:
        return self._line, self._words, self._fault

    def hints(self) -> list[Hint]:
        return [("enter", self._does), ("esc", "cancel")]


class PresetActions:
    """Applying presets of the user's config file to one session, and writing them there."""

    def __init__(self, view: SessionView) -> None:
        self._view, self._client, self._session = view, view.client, view.session

    def pick(self, words: str = "") -> None:
        """Apply the preset that `words` mean; where that is not one, choose from a list."""
        if not self._is_ready():
            return
        settings = late(WRITER).OwnSettings(self._view.preferences)
        settings.read()  # what was written there since the start counts
        if settings.fault is not None:
            announce_fault(self._view.app, settings.fault)
        presets = presets_of(self._view.preference("presets", dict))
        found = next((each for each in presets if each.name == words.strip()), None)
        found = found or meant_by(words, presets, lambda preset: (preset.name,))
        if found is not None:
            self._apply(found)
        else:
            rows = [*map(self._row, presets), PickerRow(SAVE, "Save as preset…", "the current options")]
            title, query = list_opening("Presets", rows, words) if presets else ("No presets yet", "")
            self._view.open(Picker(title, rows, query=query), self._picked)

    def _row(self, preset: Preset) -> PickerRow[Preset]:
        matches = find_matches(self._session, preset)
        fits = bool(matches) and all(match.made for match in matches)
        description = one_line(preset_words(matches, short=True), DESCRIPTION)
        return PickerRow(preset, one_line(preset.name, NAME), description, current=fits, also=preset.name)

    def _picked(self, preset: Preset | None) -> None:
        if preset is SAVE:
            self._view.run(self._save())
        elif preset is not None:
            self._apply(preset)

    def _is_ready(self) -> bool:
        """Whether an agent is there, which is said if it is not; it may go while the list is open."""
        ready = can_change(self._session, self._client.connection)
        if not ready:
            self._view.say("The agent is not ready")
        return ready

    def _apply(self, preset: Preset) -> None:
        if not self._is_ready():
            return
        PresetRun(self._session, self._client.of(self._session).choose, preset).proceed()

    async def _save(self) -> None:
        """Ask for a name, and once more where a preset has it."""
        values, taken = preset_values(self._session), list[str]()
        if not values:
            self._view.say("This agent has no options to save")
            return

        async def save(name: str) -> None:
            if name in self._view.preference("presets", dict):
                taken.append(name)
            else:
                self._write(name, values)

        words = preset_words(find_matches(self._session, Preset("", values)), short=True)
        await self._view.ask(PresetName(one_line(words, DESCRIPTION), save))
        if taken:
            rows = PickerRow(False, "Keep the old one"), PickerRow(True, "Replace it")
            if await self._view.ask(AnswerChoice(f"Preset {one_line(taken[0], NAME)} exists", rows)):
                self._write(taken[0], values)

    def _write(self, name: str, values: dict[str, str | bool]) -> None:
        late(WRITER).OwnSettings(self._view.preferences).save_preset(name, values)
        self._view.say(f"Saved as preset {one_line(name, NAME)}")
