"""What is said of an error response."""

import json

from acp_tui.protocol.faults import MOST_LINES, error_words
from tests.rows import each_of

INNER = {"type": "error", "error": {"type": "invalid_request_error", "message": "No such model: gpt-9"}}


@each_of(
    ("code", "message", "data", "words"),
    [
        (-32603, "It broke", None, "It broke (code -32603)"),
        (None, "It broke", None, "It broke"),
        (-32601, "", None, "no such method (code -32601)"),
        (-1, "", None, "no reason given (code -1)"),
        (-32603, "It broke", {"why": "rust"}, "It broke (code -32603)\nwhy: rust"),
        (-32603, "It broke", "rust", "It broke (code -32603)\nrust"),
        (-32603, "It broke", [], "It broke (code -32603)"),
        (-32603, "It broke", [{"a": 1}, {"b": None}], "It broke (code -32603)\na: 1"),
        (-32603, "It broke", {"a": {"b": [1, 2]}}, "It broke (code -32603)\na.b: 1\na.b: 2"),
        (-32603, "It broke", "It broke (code -32603)", "It broke (code -32603)"),
        (-32603, "use {braces} sparingly", None, "use {braces} sparingly (code -32603)"),
        (-32603, '{"status": 3}', None, '{"status": 3} (code -32603)'),
        (None, '{"message": ""}', None, '{"message": ""}'),
    ],
)
def test_words(code: int | None, message: str, data: object, words: str) -> None:
    assert error_words(code, message, data) == words


def test_json_in_a_message_is_read_and_its_own_message_comes_first() -> None:
    words = error_words(-32603, json.dumps(INNER)).splitlines()
    assert words == ["No such model: gpt-9 (code -32603)", "type: error", "error.type: invalid_request_error"]


def test_what_stands_around_the_json_is_kept() -> None:
    words = error_words(None, f"unexpected status 400 Bad Request: {json.dumps(INNER)}, again").splitlines()
    assert words[:2] == ["No such model: gpt-9", "unexpected status 400 Bad Request"]
    assert ", again" in words


def test_json_within_the_message_of_json_is_read_too() -> None:
    twice = json.dumps({"error": {"code": 400, "message": json.dumps(INNER)}})
    assert error_words(None, twice).splitlines()[0] == "No such model: gpt-9"
    assert error_words(-32603, "Internal error", {"details": twice}).splitlines()[:2] == [
        "Internal error (code -32603)",
        "details: No such model: gpt-9",
    ]


def test_a_flood_of_members_and_a_deep_nest_are_bounded() -> None:
    assert len(error_words(None, "x", {str(number): number for number in range(1000)}).splitlines()) == MOST_LINES
    assert error_words(None, '{"a":' * 5000) == '{"a":' * 5000
    assert "message" not in error_words(None, json.dumps({"message": "y" * 70_000}))[:5]


PAGE = """<!DOCTYPE html>
<html><head><title>502 Bad
 Gateway</title><style>body { color: red }</style></head>
<body><h1>It &amp; broke</h1><!-- <p>nothing</p> --><p>nginx<br>1.2</p><script>if (a < b) {}</script></body></html>"""


@each_of(
    ("text", "words"),
    [
        (PAGE, ["502 Bad Gateway (code -1)", "It & broke", "nginx", "1.2"]),
        (f"status 502: {PAGE}", ["status 502: 502 Bad Gateway (code -1)", "It & broke", "nginx", "1.2"]),
        ("<html><h1>No</h1>way", ["No (code -1)", "way"]),
        ("<HTML><p>no title", ["an HTML page (code -1)", "no title"]),
        ("use <b>bold</b>", ["use <b>bold</b> (code -1)"]),
    ],
)
def test_a_page_is_told_by_its_title(text: str, words: list[str]) -> None:
    assert error_words(-1, text).splitlines() == words
    assert error_words(-1, json.dumps({"error": {"message": text}})).splitlines() == words
    assert error_words(None, "x", {"body": text}).splitlines()[1] == f"body: {words[0].removesuffix(' (code -1)')}"
