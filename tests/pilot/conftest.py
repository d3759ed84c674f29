from typing import Any

import pytest
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.notifications import Notification

from tests.still import wait_until_still

# Each of some hundred nodes asks for the hash of each rule of the stylesheets: the same one, without a call in Python
# it costs a fourteenth less to start an app.
setattr(RuleSet, "__hash__", object.__hash__)  # noqa: B010 (mypy knows it as a method)

PARSED: dict[tuple[Any, ...], list[Any]] = {}


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pause is over when the app is still, on machines of any speed."""
    wait_until_still(monkeypatch)


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Toasts stay, and two presses in a row are two presses in a row, however long it takes to get there."""
    monkeypatch.setattr(Notification, "has_expired", False)
    monkeypatch.setattr(Notification, "time_left", 1e6)
    monkeypatch.setattr("acp_tui.ui.kit.key_guards.WITHIN", 1e6)


@pytest.fixture(autouse=True)
def parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Textual parses the same stylesheets for each app, a tenth of a test by keys.

    It only reads the rules afterwards, and keeps them by the same key for one app; across apps the theme's variables
    belong to the key.
    """
    parse = Stylesheet._parse_rules

    def parse_once(stylesheet: Stylesheet, css: str, **origin: Any) -> list[Any]:
        own, held = (css, *origin.values()), stylesheet._parse_cache
        if own not in held:
            key = (*own, *stylesheet._variables.items())
            if key not in PARSED:
                PARSED[key] = parse(stylesheet, css, **origin)
            held[own] = PARSED[key]
        return held[own]

    monkeypatch.setattr(Stylesheet, "_parse_rules", parse_once)
