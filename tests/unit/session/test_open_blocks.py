"""What one message leaves open in an export never changes what follows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from acp_tui.session.digest import digest, transcript
from acp_tui.session.export import to_markdown
from acp_tui.session.text.markdown import closed, ends_of
from tests.rows import each_of
from tests.unit.session.speech import idle, running, say, think, told, user

OPEN = [
    "```python\nx = 1",
    "~~~\nx",
    "````\n```\nx\n```",
    "  ```\nx",
    "text\n```\n<!-- in code\n",
    "<!-- a comment",
    "<?php",
    "<![CDATA[",
    "<!DOCTYPE html",
    "<script>\nlet a",
    "<pre>\n\nx",
    "<details><summary>More</summary>\n\nx",
    "<div align=center>\n\n```\nx",
    "Text <b>bold and <i>more",
    "- <!-- in a list",
    "> <!-- in a quote",
    "- a\n  ```\n  x",
]
WHOLE = [
    "plain",
    "```\nx\n```",
    "~~~ sh\nx\n~~~\ntext",
    "<!-- done -->",
    "<details>\n\nx\n\n</details>",
    "a `<details>` and `<!--`",
    "Vec<String> and a < b",
    "<br> <img src=x>\n",
    "```\n<details>\n<!--\n```",
    "Title\n---",
    "- a\n  ```\n  x\n  ```",
]


def html(text: str) -> str:
    return str(MarkdownIt("commonmark").render(text))


@each_of("text", OPEN)
def test_what_is_open_is_closed(text: str) -> None:
    assert closed(text).startswith(text)
    behind = html(f"{closed(text)}\n\n## Behind")
    assert behind.endswith("<h2>Behind</h2>\n")
    assert behind.rfind("<!--") <= behind.rfind("-->") or "in code" in text
    for tag in ("details", "div", "b", "i", "pre", "script"):
        assert behind.count(f"<{tag}>") + behind.count(f"<{tag} ") == behind.count(f"</{tag}>")


@each_of("text", WHOLE)
def test_what_is_whole_stays_as_it_is(text: str) -> None:
    assert closed(text) == text


@given(st.lists(st.sampled_from([*OPEN, *WHOLE, "", "===", "---", "    code", "* x"]), max_size=5))
def test_whatever_is_said_what_follows_is_what_it_was(pieces: list[str]) -> None:
    behind = html(closed("\n".join(pieces)) + "\n\n## Behind\n\nIt.")
    assert behind.endswith("<h2>Behind</h2>\n<p>It.</p>\n")


@pytest.mark.parametrize("text", ["```\nx", "~~~\nx", "<!-- x", "<details>\nx", "x\n==="])
def test_messages_of_an_export_keep_to_themselves(text: str) -> None:
    one = told()
    one.apply(user(text, "u1"), running(), think(text), say(text, "a1"), idle(), user("---\nlast", "u2"))
    for exported in (to_markdown(one.session), digest(one.session), transcript(one.session)):
        shown = html(exported)
        heads = [line for line in exported.split("\n") if line.startswith("## ")]
        assert len(heads) >= 3
        assert shown.count("<h2>") == len(heads)
        assert shown.count("<details>") == shown.count("</details>")


def test_a_page_is_no_markdown() -> None:
    page = "".join(f"<div id={number}>" for number in range(20))
    assert closed(page) == f"```\n{page}\n```"


def test_a_page_of_open_tags_is_no_list_to_search_for_each_of_them() -> None:
    assert closed("<b><i>" * 40_000 + "</i></b>" * 40_000).count("<b>") == 40_000
    assert ends_of("<b>" * 100_000 + "</i>" * 100_000) is None
