"""A list of answers that follows the rule of answers for clicks, too."""

from textual import events
from textual.widgets import OptionList

from acp_tui.ui.answers.key_routing import answer_keys_of


class AnswerOptions(OptionList):
    """An option list in which a click answers only if the question could be read when the button went down."""

    def on_click(self, event: events.Click) -> None:
        keys = answer_keys_of(self.app)
        asker = keys.asker()
        if asker is not None and not keys.click_counts(asker.rule):
            event.stop()
            event.prevent_default()
