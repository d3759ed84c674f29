from hypothesis import given
from hypothesis import strategies as st

from acp_tui.host.system.terminals import DEFAULT_LIMIT, MAX_LIMIT, TerminalOutput
from tests.examples import THOROUGH
from tests.rows import each_of
from tests.strategies import texts


def read(*pieces: bytes, limit: int | None = None) -> tuple[str, bool]:
    output = TerminalOutput(limit)
    for piece in pieces:
        output.feed(piece)
    output.feed(b"", final=True)
    return output.read()


def test_nothing_yet() -> None:
    assert read() == ("", False)


def test_escapes_are_stripped_wherever_they_are_cut() -> None:
    assert read(b"\x1b[3", b"1mred\x1b", b"[0m\n", b"plain") == ("red\nplain", False)


def test_a_character_may_be_cut() -> None:
    assert read("– ✓".encode()[:4], "– ✓".encode()[4:]) == ("– ✓", False)


def test_what_is_no_utf8_is_replaced() -> None:
    assert read(b"a\xffb\xe2\x82") == ("a\ufffdb\ufffd", False)


def test_a_prompt_without_newline_is_there_at_once() -> None:
    output = TerminalOutput()
    output.feed(b"Continue? ")
    assert output.read() == ("Continue? ", False)


@each_of(
    ("text", "limit", "expected"),
    [
        ("abcdef", 6, ("abcdef", False)),
        ("abcdef", 3, ("def", True)),
        ("abc\ndef\n", 4, ("def\n", True)),
        ("abc", 0, ("", True)),
        ("", 0, ("", False)),
        ("aéé", 4, ("éé", True)),
        ("aéé", 3, ("é", True)),
        ("😀😀", 7, ("😀", True)),
        ("😀", 3, ("", True)),
    ],
)
def test_the_end_is_kept_within_the_limit(text: str, limit: int, expected: tuple[str, bool]) -> None:
    assert read(text.encode(), limit=limit) == expected


def test_without_a_limit_there_is_one_and_it_is_told() -> None:
    text, truncated = read(b"x" * 79 + b"\n", *([b"y" * 79 + b"\n"] * (DEFAULT_LIMIT // 80 + 1)))
    assert truncated
    assert DEFAULT_LIMIT - 4 <= len(text) <= DEFAULT_LIMIT


def test_an_absurd_limit_is_bounded() -> None:
    assert TerminalOutput(10**15).limit == MAX_LIMIT


@THOROUGH
@given(
    text=texts(without=r"\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff"),
    limit=st.integers(0, 40),
    data=st.data(),
)
def test_any_split_gives_the_end_of_the_same_text(text: str, limit: int, data: st.DataObject) -> None:
    raw = text.encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=6)))
    pieces = [raw[start:end] for start, end in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
    kept, truncated = read(*pieces, limit=limit)
    assert text.endswith(kept)
    assert truncated == (len(raw) > limit)
    assert max(0, min(limit, len(raw)) - 3) <= len(kept.encode()) <= limit
