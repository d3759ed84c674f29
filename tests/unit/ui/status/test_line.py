"""The status line's spinner: it turns by itself, and with frames that are painted anyway."""

import pytest
from textual.app import App, ComposeResult
from textual.content import Content

from acp_tui.ui.status import status_line as line
from acp_tui.ui.status.status_line import SPINNER, TICK, Note, StatusLine, hint_words
from acp_tui.views.status import CANCEL, Status, StatusHint
from tests.rows import each_of

pytestmark = pytest.mark.anyio


class LineApp(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.status = Status("Answering", busy=True)

    def compose(self) -> ComposeResult:
        yield StatusLine(lambda: self.status)


async def test_beside_a_stream_the_spinner_turns_with_its_frames_and_no_more_often(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 100.0
    monkeypatch.setattr(line, "TICK", 1000.0)  # the timer's
    async with LineApp().run_test() as pilot:
        status = pilot.app.query_one(StatusLine)
        monkeypatch.setattr(line, "TICK", TICK)
        monkeypatch.setattr(line, "monotonic", lambda: now)
        seen = []
        for _ in range(13):
            status.turn_along()
            seen.append(SPINNER.index(str(status.content)[0]))
            now += 0.051
        assert seen == [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5]
        assert status._timer is not None
        assert status._timer._reset, "no frame of its own while there are others"


async def test_where_nothing_goes_on_it_does_not_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    async with LineApp().run_test() as pilot:
        status = pilot.app.query_one(StatusLine)
        assert isinstance(pilot.app, LineApp)
        pilot.app.status = Status("Done")
        status.look()
        monkeypatch.setattr(line, "monotonic", lambda: 1e9)
        status.turn_along()
        assert str(status.content).strip() == "Done"
        assert status._timer is not None
        assert not status._timer._active.is_set()


async def test_who_steps_aside_is_not_woken_by_a_frame() -> None:
    async with LineApp().run_test() as pilot:
        status = pilot.app.query_one(StatusLine)
        status.rest()
        status.turn_along()
        assert status._timer is not None
        assert not status._timer._active.is_set()


@each_of(
    ("hint", "words"),
    [
        (CANCEL, "esc cancel"),
        (StatusHint("show_stderr", "stderr"), "^X D stderr"),
        (StatusHint("interrupt", "quit", times=2), "^C ^C quit"),
        (StatusHint("", "restart", key="enter"), "enter restart"),
    ],
)
def test_a_hint_names_its_keys(hint: StatusHint, words: str) -> None:
    assert hint_words(hint) == words


@each_of(
    "room, shown",
    [
        (60, "esc cancel · △ session 1 needs an answer (alt+a)"),
        (40, "△ session 1 needs an answer (alt+a)"),
    ],
)
def test_a_key_gives_way_to_what_waits_for_the_user(room: int, shown: str) -> None:
    row = StatusLine(Status)
    row._notes = [Note(Content("△ session 1 needs an answer (alt+a)"), str)]
    assert row._right(["esc cancel"], room).plain == shown
