from typing import Any

import pytest
from textual.css.stylesheet import Stylesheet

PARSED: dict[tuple[Any, ...], list[Any]] = {}


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
