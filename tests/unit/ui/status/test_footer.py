"""The footer: what it names in which situation; never a key that does nothing there."""

from collections.abc import Callable
from typing import Any

from acp_tui.host.client import Connection
from acp_tui.protocol.vocabulary.session_updates import Plan, PlanEntry, PlanUpdate, StateUpdate
from acp_tui.session.state import Session
from acp_tui.ui.status.footer import Focus, hints_of
from tests.pilot.fake_client import ask_permission, options, select, tell_options
from tests.rows import each_of

EMPTY, TEXT = "^P commands  ^X menu  ? help", "^P commands  ^X menu  f1 help"


def works(session: Session) -> None:
    session.apply(StateUpdate(state="running"))


def plans(session: Session) -> None:
    works(session)
    session.apply(PlanUpdate(plan=Plan(entries=[PlanEntry(content="Look")])))


def closes(session: Session) -> None:
    session.closed = True


def footer(session: Session, phase: Any = "ready", focus: Focus = "empty prompt") -> str:
    return "  ".join(f"{key} {word}" for key, word, _ in hints_of(session, Connection(phase=phase), focus))


@each_of(
    "focus, phase, prepare, words",
    [
        ("empty prompt", "ready", tell_options, f"{EMPTY}  shift+tab mode  alt+p model"),
        ("prompt", "ready", tell_options, f"{TEXT}  shift+tab mode  alt+p model"),
        ("empty prompt", "starting", tell_options, f"{EMPTY}  ^S sessions  ^Q quit"),
        ("empty prompt", "gone", tell_options, f"{EMPTY}  ^S sessions  ^Q quit"),
        ("empty prompt", "closed", tell_options, f"{EMPTY}  ^X N another agent  ^S sessions"),
        ("empty prompt", "ready", works, f"{EMPTY}  ^O details"),
        ("empty prompt", "ready", plans, f"{EMPTY}  ^T plan  ^O details"),
        (
            "empty prompt",
            "ready",
            closes,
            f"{EMPTY}  ^N new session  ^S sessions",
        ),
        ("empty prompt", "ready", ask_permission, f"{EMPTY}  alt+a answer"),
        ("completions", "ready", tell_options, f"{TEXT}  tab complete  esc close"),
        ("transcript", "gone", tell_options, f"{TEXT}  space expand  y copy"),
        ("elsewhere", "ready", tell_options, TEXT),
        ("elsewhere", "ready", ask_permission, TEXT),
    ],
)
def test_it_names_two_keys_of_the_situation(
    focus: Focus, phase: str, prepare: Callable[[Session], object], words: str
) -> None:
    session = Session("s", "/work")
    prepare(session)
    assert footer(session, phase, focus) == words


@each_of(
    "name, word",
    [("Session Mode", "session mode"), ("Effort", "effort"), ("API mode", "API mode"), ("x" * 40, "x" * 13 + "…")],
)
def test_an_option_is_called_as_the_bar_calls_it(name: str, word: str) -> None:
    session = Session("s", "/work")
    tell_options(session, [select("m", name, "mode", ["a", "b"])])
    assert footer(session).endswith(f"  shift+tab {word}")


def test_an_option_that_cannot_be_changed_has_no_key() -> None:
    session = Session("s", "/work")
    tell_options(session, options())
    session.config_fixed["model"] = ""
    assert "alt+p" not in footer(session)
