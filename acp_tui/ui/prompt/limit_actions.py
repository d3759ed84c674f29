"""Asking at a limit of the user's: while one is reached a row shows it, and a panel asks whether to continue."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from math import isfinite
from typing import Literal

from rich.cells import cell_len
from textual.content import Content
from textual.timer import Timer

from acp_tui.errors import UserFault
from acp_tui.host.sessions.conversation import Conversation
from acp_tui.host.sessions.limits import LimitName, ReachedLimit, SessionLimits
from acp_tui.protocol.vocabulary.session_updates import AccountLimit
from acp_tui.session.text.phrases import duration
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.kit.picker import AnswerChoice, AskLine
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.kit.theme import key_hints
from acp_tui.ui.prompt.banners import NO_KEYS, Banner, Banners, banner_of
from acp_tui.views.formatting import capitalised, limit_words, resets_words
from acp_tui.views.row_search import PickerRow
from acp_tui.views.session_facts import LIMIT_NAMES, limit_amount, reached_limit_words

Answer = Literal["stop", "continue", "now", "cancel", "change"]
EACH = 1.0  # seconds after which a countdown is shown again, and a question that had to wait tries again
CLOCK = 5  # characters of a time of the day
SIDES = 8  # cells beside a title: the panel's edges, and the sign
MARGIN = 0.05  # seconds after which a limit is reached for certain
COMMAND = "answer_limit"
UNITS = {"session_cost": "cost", "turn_minutes": "minutes", "context_percent": "percent"}


class LimitChoice(AnswerChoice[Answer]):
    """What to do at a limit; `short` is the title where the other one would need two rows."""

    KEYS, PANEL = (*AnswerChoice.KEYS[:-1], ("esc", "decide later")), "warning-panel"

    def __init__(self, title: str, rows: Sequence[PickerRow[Answer]], short: str = "") -> None:
        super().__init__(title, rows)
        self._short = short or title

    def heading(self) -> Content:
        fits = cell_len(self.title or "") <= self.app.size.width - SIDES
        return Content.styled(f"△ {self.title if fits else self._short}", "bold $warning")


class LimitActions:
    """The limits of one session. `may_interrupt` says whether a panel may come by itself now."""

    def __init__(self, view: SessionView, banners: Banners, may_interrupt: Callable[[], bool]) -> None:
        self._view, self._banners, self._may_interrupt = view, banners, may_interrupt
        self._asked: tuple[str, float | None] | None = None
        self._timer: Timer | None = None
        self._is_open = False  # the panel, above which no row says the same
        self._limits.attended = True

    @property
    def _conversation(self) -> Conversation:
        return self._view.client.of(self._view.session)

    @property
    def _limits(self) -> SessionLimits:
        return self._conversation.limits

    @property
    def _account(self) -> AccountLimit | None:
        """The limit of the account for which the queue waits."""
        session = self._view.session
        return self._limits.account_limit if session.queue and not session.turn.active else None

    def update(self) -> None:
        """Show what is reached now; ask once about each limit."""
        limits = self._limits
        if limits.continue_if_due():
            self._asked = None
            self._conversation.send_queued()
        reached, account = limits.reached, self._account
        waiting = limits.account.seconds_left
        key = (reached.name, reached.limit) if reached else (account.kind, account.resets_at) if account else None
        if key is None:
            self._asked = None
        elif waiting is None and self._asked != key and self._view.has_keys and self._may_interrupt():
            self._asked = key
            self.open_reached()
        if waiting is None and self._asked == key and not (reached and self._is_over(reached)):
            self._wait(limits.turn_seconds_left)
        else:
            self._wait(EACH if waiting is None else min(waiting, EACH))
        self._banners.put("limit", *self._shown(reached, account, waiting))

    def _shown(
        self, reached: ReachedLimit | None, account: AccountLimit | None, waiting: float | None
    ) -> Iterator[Banner]:
        key = first_way(COMMAND)
        if self._is_open:
            return
        if reached is not None:
            keys, words = key_hints([(key, "decide")]), f"△ {self._words(reached)}"
            waits = " · the queue waits" if self._view.session.queue else ""
            short = f"△ Limit: {reached_limit_words(reached).partition(': ')[2]}"
            forms = (words + waits, keys), (words, keys), (short, keys), (short, NO_KEYS)
            yield Banner(forms, "$warning", action=self.ask)
        elif waiting is not None:
            words = f"The queue continues {clock_words(self._limits.account.until)} · in {duration(waiting)}"
            yield banner_of(words, self.ask, (key, "stop"), "$warning")
        elif account is not None:
            yield banner_of(f"△ {limit_words(account)} · the queue waits", self.ask, (key, "decide"), "$warning")

    def _is_over(self, reached: ReachedLimit) -> bool:
        """Whether it is the turn at work that takes too long; its time goes on."""
        return self._view.session.turn.active and reached.name == "turn_minutes"

    def _words(self, reached: ReachedLimit) -> str:
        if self._is_over(reached):
            return f"Over the turn limit ({limit_amount(reached.name, reached.limit)})"
        return reached_limit_words(reached)

    def ask(self) -> None:
        if not self.open_reached():
            self._view.say("No limit has been reached")

    def open_reached(self) -> bool:
        """Ask about the limit that is reached, or stop the wait for one; whether there is one."""
        reached, account, wait = self._limits.reached, self._account, self._limits.account
        waits = wait.until is not None
        if reached is not None:
            self._view.run(self._ask(reached))
        elif waits:
            wait.stop()
            self._view.say("Stopped: the queue waits", 4)
            self.update()
        elif account is not None:
            self._view.run(self._ask_account(account))
        return waits or reached is not None or account is not None

    def _wait(self, seconds: float | None) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = None if seconds is None else self._banners.set_timer(seconds + MARGIN, self.update)

    async def _answer(self, panel: LimitChoice) -> Answer | None:
        self._is_open = True
        self._banners.put("limit")
        try:
            return await self._view.ask(panel)
        finally:
            self._is_open = False

    async def _ask_account(self, limit: AccountLimit) -> None:
        answer = await self._answer(LimitChoice(capitalised(limit_words(limit)), account_rows(limit)))
        account = self._limits.account
        if answer == "continue" and limit.resets_at is not None:
            account.tries = 0
            account.begin(limit.resets_at)
        elif answer == "now":
            self._limits.pass_account()
        self._go_on()

    async def _ask(self, reached: ReachedLimit) -> None:
        session, turn = self._view.session, self._view.session.turn
        upto = limit_amount(reached.name, self._limits.next_limit(reached), reached.currency)
        rows = rows_of(f"up to {upto}", queued=bool(session.queue), active=turn.active, too_long=self._is_over(reached))
        title = f"{self._words(reached)}{' · still working' * turn.active}"
        answer = await self._answer(LimitChoice(title, rows, short_words(reached)))
        now = self._limits.reached
        if now is None or now.name != reached.name:
            self.update()
            return
        if answer == "continue":
            self._limits.raise_limit(now)
            self._announce(now.name)
        elif answer == "cancel":
            self._limits.pass_turn()
            if self._view.session.turn is turn:
                self._conversation.cancel()
        elif answer == "change":
            title = f"{LIMIT_NAMES[now.name]} limit of this session ({UNITS[now.name]}; 0: none)"
            self._view.open(AskLine(title, f"{now.limit:g}", self._changed(now.name)))
        self._go_on()

    def _changed(self, name: LimitName) -> Callable[[str], Awaitable[None]]:
        async def change(line: str) -> None:
            self._limits.change(name, amount_of(line))
            self._announce(name)
            self._go_on()

        return change

    def _announce(self, name: LimitName) -> None:
        limit = self._limits.limit(name)
        now = limit_amount(name, limit, self._limits.costs.currency) if limit else "off"
        self._view.say(f"{LIMIT_NAMES[name]} limit: {now}", 4)

    def _go_on(self) -> None:
        self._conversation.send_queued()
        self.update()


def short_words(reached: ReachedLimit) -> str:
    """`Cost limit: $5.02 of $5.00`, in the 34 cells of a title on 40 columns."""
    name, _, amounts = reached_limit_words(reached).partition(" limit reached: ")
    return f"{name.split(' ')[-1].capitalize()} limit: {amounts}"


def rows_of(upto: str, *, queued: bool, active: bool, too_long: bool) -> list[PickerRow[Answer]]:
    """The answers, of which the first one changes nothing; `active`: a turn is at work, and takes `too_long` itself."""
    stop = "Hold the queue" if queued else "Finish this turn" if active else "Stop here"
    rows: list[PickerRow[Answer]] = [
        PickerRow("stop", stop, "until you continue" if queued or not active else "then wait"),
        PickerRow("continue", "Continue", upto),
        PickerRow("cancel", "Cancel the turn", "the queue continues" if queued else "now"),
        PickerRow("change", "Change limit", "for this session"),
    ]
    return [row for row in rows if too_long or row.value != "cancel"]


def account_rows(limit: AccountLimit) -> list[PickerRow[Answer]]:
    """The answers while a limit of the account is reached, of which the first one changes nothing."""
    return [
        PickerRow("stop", "Hold the queue", "until you continue"),
        PickerRow("continue", f"Continue {clock_words(limit.resets_at)}", "automatically"),
        PickerRow("now", "Continue now", "send the next"),
    ]


def clock_words(at: float | None) -> str:
    """`at 14:30`, `Mon 14:30`: a time since 1970 in the user's own time."""
    words = resets_words(AccountLimit(kind="", resets_at=at)).removeprefix("resets ")
    return f"at {words}" if words[:1].isdigit() and len(words) == CLOCK else words


def amount_of(line: str) -> float:
    """The number in a line, 0 or more; raises `UserFault`."""
    try:
        value = float(line.strip().lstrip("$€£").rstrip("%").replace(",", ""))
    except ValueError:
        value = -1.0
    if not (isfinite(value) and value >= 0):
        raise UserFault("Not a number of 0 or more")
    return value
