"""What a test by keys works out once for all apps is what Textual itself works out for each node."""

from typing import Any

import pytest
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode

from tests.pilot import stylesheets
from tests.pilot.driver import User, user
from tests.pilot.questions import EVERYTHING, ask_form, ready

pytestmark = pytest.mark.anyio


class Plain(Stylesheet):
    """Textual's own way."""

    apply = stylesheets._apply


def styles_of(node: DOMNode) -> dict[str, Any]:
    """All that a stylesheet gives a node."""
    flags = ("_has_hover_style", "_has_focus_within", "_has_order_style", "_has_odd_or_even")
    parts = {name: dict(styles._base_styles._rules) for name, styles in node._component_styles.items()}
    return {"rules": dict(node._css_styles._rules), "parts": parts} | {flag: getattr(node, flag) for flag in flags}


def wrong(someone: User) -> list[str]:
    """The nodes of all screens whose styles Textual finds otherwise."""
    plain = Plain.__new__(Plain)
    vars(plain).update(vars(someone.app.stylesheet))
    nodes = [node for screen in someone.app.screen_stack for node in screen.walk_children(with_self=True)]
    assert len(nodes) > 30
    before = [styles_of(node) for node in nodes]
    for node in nodes:
        plain.apply(node)
    return [str(node) for node, given in zip(nodes, before, strict=True) if styles_of(node) != given]


@pytest.mark.parametrize("size", [(120, 40), (60, 20)])
async def test_every_node_has_the_styles_that_textual_gives_it(size: tuple[int, int]) -> None:
    for _ in range(2):  # the second app has all from the first
        async with user(size) as someone:
            assert wrong(someone) == []
            await someone.send("hello")
            ask_form(someone.session, **EVERYTHING)
            await ready(someone)
            assert wrong(someone) == []
            await someone.press("tab", "down")
            assert wrong(someone) == []
            await someone.press("ctrl+p", "m", "down")
            assert wrong(someone) == []
            await someone.press("escape")
            someone.app.theme = "textual-light" if someone.app.theme != "textual-light" else "textual-dark"
            await someone.press("f1")
            assert wrong(someone) == []


async def test_what_changed_otherwise_is_set_again() -> None:
    async with user() as someone:
        editor = someone.conversation.editor
        rules = dict(editor._css_styles._rules)
        editor.styles.base.height = 17
        assert editor._css_styles._rules != rules
        someone.app.stylesheet.apply(editor)
        assert editor._css_styles._rules == rules
