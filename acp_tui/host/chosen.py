"""What was chosen in one session, and how it is chosen again when its agent comes back; must not know requests."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from functools import partial

from acp_tui.errors import AgentFault, Fault, UserFault
from acp_tui.host.choices import Choice, KeptChoices, choice_of, in_order, obstacle
from acp_tui.host.choices_by_name import choice_by_name
from acp_tui.protocol.config_options import ConfigOption
from acp_tui.session.facts import Noticed
from acp_tui.session.forms import Settings
from acp_tui.session.state import Session

Choose = Callable[[str, str | bool, Callable[[str], None]], None]
"""Ask the agent for an option's value; the callback gets why it was refused, empty if it was not."""


class Chosen:
    """The person's choices in `session`, the last of each option, in the order in which they were made."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.kept: KeptChoices | None = None
        self._made: dict[str, Choice] = {}
        self._wished: dict[str, Choice] = {}
        self._waiting: deque[Choice] = deque()
        self._missed: list[str] = []
        self._again: list[str] = []

    @property
    def made(self) -> tuple[Choice, ...]:
        """What the person chose and the agent agreed to."""
        return tuple(self._made.values())

    def waits(self, option: ConfigOption, value: str | bool) -> None:
        """The agent takes the choice only after a log-in, for which it may have to be started again."""
        self._wished[option.id] = choice_of(option, value)

    def answered(self, option: ConfigOption, value: str | bool, refused: str) -> None:
        """The agent answered a choice of the person; what it agreed to takes the place of what is kept."""
        self._wished.pop(option.id, None)
        if refused:
            return
        choice = choice_of(option, value)
        self._made.pop(option.id, None)
        self._made[option.id] = choice
        if self.kept is not None:
            self.kept.used(choice)
            if option.id in self.kept.kept:
                self.kept.keep([choice])

    def choose_again(self, kept: Iterable[Choice], choose: Choose, done: Callable[[], None]) -> None:
        """Choose `kept` and what was made or wished here, one by one; tell what came of it, and call `done`."""
        wanted = {choice.option_id: choice for choice in kept} | self._made | self._wished
        self._waiting = deque(in_order(wanted.values(), self._session.config_options))
        self._missed, self._again = [], []
        self._next(choose, done)

    def choose_by_name(
        self,
        settings: Settings,
        taken_before: Mapping[str, str],
        choose: Choose,
        done: Callable[[], None],
        fail: Callable[[Fault], None],
    ) -> None:
        """Choose what was given as names and values, one by one, and call `done`; `fail` gets what was wrong.

        `taken_before` are the options that the agent took before the session, by id and name.
        """
        if not settings:
            done()
            return
        try:
            choice = choice_by_name(self._session.config_options, *settings[0], taken_before)
        except UserFault as fault:
            fail(fault)
            return

        def answered(refused: str) -> None:
            if refused:
                fail(AgentFault(f"The agent did not take {choice}", refused))
            else:
                self.choose_by_name(settings[1:], taken_before, choose, done, fail)

        choose(choice.option_id, choice.value, answered)

    def _next(self, choose: Choose, done: Callable[[], None]) -> None:
        while self._waiting:
            choice = self._waiting.popleft()
            problem = obstacle(choice, self._session.config_options)
            if problem is None:
                choose(choice.option_id, choice.value, partial(self._answered, choice, choose, done))
                return
            if problem:
                self._missed.append(f"{choice}: {problem}")
        if self._again:
            self._session.apply(Noticed("info", f"Chosen as before: {', '.join(self._again)}"))
        if self._missed:
            self._session.apply(Noticed("warning", "Not chosen again", "\n".join(self._missed)))
        done()

    def _answered(self, choice: Choice, choose: Choose, done: Callable[[], None], refused: str) -> None:
        wished = self._wished.pop(choice.option_id, None)
        if refused:
            self._missed.append(f"{choice}: {refused}")
        else:
            self._again.append(str(choice))
            if wished is not None:
                self._made[choice.option_id] = choice
        self._next(choose, done)
