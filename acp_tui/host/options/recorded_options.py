"""The options with which a session was left, and which of them are set again without a question when it is continued.

All but those that say how much the agent asks: these only where the user has chosen them in this run, keeps them for
new sessions, or where they are known to ask more. Else the session begins as its agent begins it, and a row says so.
"""

from collections.abc import Mapping, Sequence

from acp_tui.host.options.choices import Choice, KeptChoices, choice_of
from acp_tui.protocol.vocabulary.config_options import ConfigOption

ASKING = ("mode", "permissions")
"""Categories of options that say how much an agent asks; the second is Copilot's."""
AskingMore = Mapping[str, Sequence[str | bool]]
"""The values of an agent's options that are known to ask more than others, by the options' ids."""
NOTHING_KNOWN: AskingMore = {}


class RecordedOptions:
    """`left` are the options with the values with which the session was left, in the agent's order.

    What says how much is asked is known from them too: before the session is open there are no other options.
    """

    def __init__(
        self,
        left: Sequence[ConfigOption] = (),
        asking_more: AskingMore = NOTHING_KNOWN,
        kept: KeptChoices | None = None,
        session_id: str = "",
    ) -> None:
        self._left, self._asking_more, self._kept, self._session_id = left, asking_more, kept, session_id
        self._choices = [choice_of(option, option.current_value) for option in left]

    def again(self, options: Sequence[ConfigOption]) -> dict[str, Choice]:
        """What is set again, by the ids of the options."""
        asking = self._asking(options)
        return {each.option_id: each for each in self._choices if each.option_id not in asking or self._may(each)}

    def left_out(self, options: Sequence[ConfigOption]) -> list[Choice]:
        """What is not set again and is another value now."""
        again = self.again(options)
        now = {option.id: option.current_value for option in options}
        left = (each for each in self._choices if each.option_id not in again)
        return [each for each in left if now.get(each.option_id, each.value) != each.value]

    def _asking(self, options: Sequence[ConfigOption]) -> set[str]:
        return {*self._asking_more, *(each.id for each in (*self._left, *options) if each.category in ASKING)}

    def _may(self, choice: Choice) -> bool:
        if choice.value in self._asking_more.get(choice.option_id, ()):
            return True
        return self._kept is not None and (self._kept.keeps(choice) or self._kept.was_chosen(self._session_id, choice))
