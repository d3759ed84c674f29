import re
from unittest import mock
from unittest.mock import patch

from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from acp_tui.protocol.vocabulary.content import EmbeddedResource, ImageContent, TextResource
from acp_tui.protocol.vocabulary.session_updates import Role
from acp_tui.session.entries import MessageEntry, TextPart
from acp_tui.ui.entries.collapsible_drawing import ThoughtDrawing
from acp_tui.ui.entries.message import MessageDrawing, placeholder
from acp_tui.ui.entries.message_text import Live
from acp_tui.ui.kit.theme import DARK, palette_for
from acp_tui.ui.render import markdown, text_splitter
from acp_tui.ui.render.text import sanitise
from acp_tui.ui.render.text_splitter import Splitter
from acp_tui.ui.render.wrap import LINK, Drawing, Row, Run, expand_tabs
from tests.examples import THOROUGH
from tests.unit.ui.render.markdown_texts import DOCUMENTS, LINES, WORDS, chunked

PALETTE = palette_for(DARK)
CUTS = st.lists(st.integers(0, 600), max_size=12)
LONG = "".join(f"def f{n}(x):\n    '''doc\n    {n}'''\n    return {n} * x\n\n" for n in range(60))


def rows_of(drawing: Drawing, width: int = 60, first: int = 0) -> list[Row]:
    return [row for unit in drawing.units[first:] for row in unit.rows(width, PALETTE)]


def shown(drawing: Drawing, width: int = 60) -> list[list[tuple[str, object]]]:
    """Characters with their styles; how they are cut into segments does not matter."""
    return [
        [(character, _look(segment.style)) for segment in row.segments for character in segment.text]
        for row in rows_of(drawing, width)
    ]


def _look(style: object) -> str:
    return re.sub(r" link \S+", "", str(style))


def text_of(drawing: Drawing, width: int = 60) -> str:
    return "\n".join("".join(segment.text for segment in row.segments).rstrip() for row in rows_of(drawing, width))


def message(*chunks: str, role: Role = "agent", sealed: bool = True) -> MessageEntry:
    entry = MessageEntry("m", role, [], sealed=sealed)
    if chunks:
        entry.parts = [TextPart([], 0)]
        grow(entry, *chunks)
    return entry


def grow(entry: MessageEntry, *chunks: str) -> None:
    part = entry.parts[-1]
    assert isinstance(part, TextPart)
    for chunk in chunks:
        part.append(chunk)
    entry.version += 1


def streamed(chunks: list[str], role: Role = "agent") -> MessageDrawing:
    """A drawing that looked at its entry after every chunk, and was asked each time for the rows that it had not."""
    entry = message(role=role, sealed=False)
    drawing = MessageDrawing(entry)
    entry.parts = [TextPart([], 0)]
    for chunk in chunks:
        grow(entry, chunk)
        before = list(drawing.units)
        first = drawing.update()
        assert all(old is new for old, new in zip(before[:first], drawing.units[:first], strict=True))
        rows_of(drawing, first=first)
    entry.sealed = True
    entry.version += 1
    drawing.update()
    return drawing


@THOROUGH
@given(DOCUMENTS, CUTS)
def test_a_streamed_message_ends_as_the_same_message_at_once(text: str, cuts: list[int]) -> None:
    assert shown(streamed(chunked(text, cuts))) == shown(MessageDrawing(message(text)))


@given(DOCUMENTS, CUTS)
def test_a_streamed_prompt_ends_as_the_same_prompt_at_once(text: str, cuts: list[int]) -> None:
    assert shown(streamed(chunked(text, cuts), "user")) == shown(MessageDrawing(message(text, role="user")))


@THOROUGH
@given(DOCUMENTS, CUTS, st.lists(st.integers(0, 3), min_size=1), st.sampled_from(["agent", "user"]))
def test_a_message_that_is_read_ahead_ends_as_the_same_message_at_once(
    text: str, cuts: list[int], steps: list[int], role: Role
) -> None:
    entry = message("", role=role, sealed=False)
    drawing = MessageDrawing(entry)
    before = list(drawing.units)
    with patch("acp_tui.ui.entries.message.STEP", 5):
        for number, chunk in enumerate(chunked(text, cuts)):
            grow(entry, chunk)
            drawing.read_ahead(map(bool, [*[0] * steps[number % len(steps)], 1]).__next__)
            if number % 2:
                first = drawing.update()
                assert all(old is new for old, new in zip(before[:first], drawing.units[:first], strict=True))
                before = list(drawing.units)
    entry.sealed = True
    assert not drawing.read_ahead(lambda: False)
    drawing.update()
    assert shown(drawing) == shown(MessageDrawing(message(text, role=role)))


def test_a_flood_is_read_ahead_step_by_step() -> None:
    entry = message("a", sealed=False)
    drawing = MessageDrawing(entry)
    grow(entry, *["one\n\n" * 1000] * 20)
    looks = iter([False, False])
    assert drawing.read_ahead(lambda: next(looks, True))
    few = len(drawing.units)
    assert 1000 < few < 10_000
    assert drawing.update() <= 1
    assert len(drawing.units) == few, "the next look shows what was read ahead, and leaves the rest"
    assert drawing.read_ahead(lambda: next(looks, True))
    assert not drawing.read_ahead(lambda: False)
    assert len(drawing.units) > few
    assert drawing.update() >= few - 2
    assert text_of(drawing).count("one") == 20_000


@given(DOCUMENTS, st.integers(16, 130))
def test_no_row_is_wider_than_the_screen(text: str, width: int) -> None:
    for role in ("agent", "user"):
        for row in rows_of(MessageDrawing(message(text, role=role)), width):
            assert sum(segment.cell_length for segment in row.segments) <= width


@given(DOCUMENTS, st.integers(20, 130))
def test_no_word_is_lost(text: str, width: int) -> None:
    without_fences = sanitise(re.sub(r"(?m)^.*(```|~~~).*$", "", text))
    said = re.findall(r"alpha|beta|bold|code|text|漢字|div|def f|doc", without_fences)
    drawn = re.sub(r"\s", "", copied(MessageDrawing(message(text)), width))
    for word in set(said):
        assert drawn.count(word.replace(" ", "")) >= said.count(word), word


def copied(drawing: Drawing, width: int) -> str:
    texts: list[str] = []
    for row in rows_of(drawing, width):
        text = "".join(segment.text for segment in row.segments)
        texts.append(text[row.gutter : len(text) - row.tail] + ("" if row.wrapped else "\n"))
    return "".join(texts)


def test_the_users_words_end_a_cell_before_their_wash() -> None:
    rows = rows_of(MessageDrawing(message("word " * 40, role="user")))
    washed = [row for row in rows if "word" in "".join(segment.text for segment in row.segments)]
    assert len(washed) > 2
    for row in washed:
        assert sum(segment.cell_length for segment in row.segments) == 58
        assert row.tail >= 1
        assert row.segments[-1].style == PALETTE.user_background


@given(DOCUMENTS)
def test_the_users_words_are_shown_as_they_were_written(text: str) -> None:
    lines = [expand_tabs(line).rstrip() for line in sanitise(text).rstrip("\n").split("\n")]
    drawn = [line.rstrip() for line in copied(MessageDrawing(message(text, role="user")), 200).split("\n")]
    if text.strip() and all(cell_len(line) < 100 for line in lines):
        assert drawn[1 : 1 + len(lines)] == lines


def test_a_long_fence_is_coloured_as_a_whole_once_it_closes() -> None:
    text = f"```python\n{LONG}```\n\nafter"
    chunks = [text[start : start + 24] for start in range(0, len(text), 24)]
    assert shown(streamed(chunks)) == shown(MessageDrawing(message(text)))
    assert "fence" not in text_of(MessageDrawing(message(text)))


def test_a_growing_fence_repaints_its_last_lines_only() -> None:
    entry = message("```python\n" + LONG, sealed=False)
    drawing = MessageDrawing(entry)
    before = list(drawing.units)
    grow(entry, "x = 1\n")
    drawing.update()
    assert len(before) > 5
    assert drawing.units[: len(before) - 2] == before[:-2]
    assert drawing.units[len(before) - 2] is not before[-2]


def test_an_unfinished_fence_never_shows_its_closing_marks() -> None:
    entry = message("```py\nx = 1\n", "``", sealed=False)
    assert "``" not in text_of(MessageDrawing(entry))
    assert "x = 1" in text_of(MessageDrawing(entry))


def test_late_chunks_join_the_sentence_that_was_drawn_as_finished() -> None:
    entry = message("Hello wor")
    drawing = MessageDrawing(entry)
    grow(entry, "ld and")
    drawing.update()
    grow(entry, " all")
    drawing.update()
    assert text_of(drawing).strip() == "Hello world and all"


def test_replaced_content_is_drawn_anew() -> None:
    entry = message("old text")
    drawing = MessageDrawing(entry)
    entry.parts = [TextPart(["new"], 3)]
    assert drawing.update() == 0
    assert text_of(drawing).strip() == "new"


def test_blocks_between_texts_stand_for_themselves() -> None:
    entry = message("before")
    entry.parts.append(ImageContent(data="AAAA" * 1000, mime_type="image/png"))
    entry.parts.append(TextPart(["after"], 5))
    lines = [line.strip() for line in text_of(MessageDrawing(entry)).split("\n") if line.strip()]
    assert lines == ["before", "▣ image  image/png · 3.0 KB", "after"]


def test_an_empty_message_takes_no_rows() -> None:
    assert rows_of(MessageDrawing(message())) == []
    assert rows_of(MessageDrawing(message("\n\n"))) == []


def test_a_thought_is_one_row_until_unfolded() -> None:
    entry = message("**Looking** at it\n\nin depth", role="thought")
    entry.finished_at = 6.2
    drawing = ThoughtDrawing(entry)
    assert text_of(drawing).strip() == "▸ Thought for 6 s"
    assert drawing.toggle() == 0
    assert "Looking at it" in text_of(drawing)
    assert "▾ Thought for 6 s" in text_of(drawing)
    assert drawing.toggle() == 0
    assert text_of(drawing).strip() == "▸ Thought for 6 s"


def test_a_growing_thought_shows_the_line_it_is_at() -> None:
    entry = message("first\n", "**sec", "ond** line", role="thought", sealed=False)
    drawing = ThoughtDrawing(entry)
    assert text_of(drawing).strip() == "▸ Thinking…  second line"
    versions = drawing.units[0].version
    grow(entry, " goes on")
    drawing.update()
    assert drawing.units[0].version != versions


def laid_out(drawing: Drawing, width: int) -> list[object]:
    """All that a row is, but for how its characters are cut into segments of one look."""
    rows = rows_of(drawing, width)
    places = [(row.line, row.offset, row.gutter, row.wrapped, row.tail) for row in rows]
    return list(zip(places, shown(drawing, width), strict=True))


def assert_live_rows_are_those_laid_out_anew(chunks: list[str], widths: list[int]) -> None:
    entry = message("", sealed=False)
    drawing = MessageDrawing(entry)
    for number, chunk in enumerate(chunks):
        grow(entry, chunk)
        drawing.update()
        width = widths[number % len(widths)]
        with mock.patch.object(Live, "inlines", lambda _, palette: markdown.Inlines(palette)):
            anew = laid_out(MessageDrawing(message(*chunks[: number + 1], sealed=False)), width)
        assert laid_out(drawing, width) == anew


@given(DOCUMENTS, CUTS, st.lists(st.sampled_from((30, 60)), min_size=1, max_size=3))
def test_what_grows_is_laid_out_as_if_it_came_at_once(text: str, cuts: list[int], widths: list[int]) -> None:
    with mock.patch.object(markdown, "STEP", 3):  # texts as short as these settle too
        assert_live_rows_are_those_laid_out_anew(chunked(text, cuts), widths)


SPANS = st.lists(
    st.one_of(
        st.sampled_from(
            ["a", "b_c", "`", "``", "*", "**", "_", "~~", "~", "[", "](", "](u)", "![", "![`](u)", "!", "<", ">", "\\"]
        ),
        st.sampled_from(
            [" ", " ", " ", "  ", "\n", "  \n", "\t", "http://a.b", "&", "&#91;", "&eacute;", "(", ".", "é"]
        ),
    ),
    max_size=40,
)


@THOROUGH
@given(SPANS)
def test_a_paragraph_that_grows_span_by_span_is_laid_out_as_if_it_came_at_once(spans: list[str]) -> None:
    with mock.patch.object(markdown, "STEP", 1):
        live, base = markdown.Inlines(PALETTE, kept=True), PALETTE.text
        for end in range(1, len(spans) + 1):
            source = "".join(spans[:end]).strip()
            live.next_state()
            assert by_character(live.lines(source, base)) == by_character(
                markdown.Inlines(PALETTE).lines(source, base)
            ), source


def by_character(lines: list[list[Run]]) -> list[list[tuple[str, str]]]:
    return [[(character, _look(style)) for text, style in runs for character in text] for runs in lines]


@given(SPANS, SPANS, SPANS)
def test_texts_that_begin_alike_are_told_apart(head: list[str], first: list[str], second: list[str]) -> None:
    with mock.patch.object(markdown, "STEP", 1):
        live, base = markdown.Inlines(PALETTE, kept=True), PALETTE.text
        live.next_state()
        for end in (first, second):
            source = "".join([*head, *end]).strip()
            assert by_character(live.lines(source, base)) == by_character(
                markdown.Inlines(PALETTE).lines(source, base)
            ), source


def test_a_link_leads_where_it_says_though_the_item_before_begins_alike() -> None:
    words = "word " * 48
    drawing = MessageDrawing(message(f"- {words}http://a.b/c d\n- {words}http://a.b/cut", sealed=False))
    links = [segment.style.meta.get(LINK) for row in rows_of(drawing) for segment in row.segments if segment.style]
    assert [link for link in links if link] == ["http://a.b/c", "http://a.b/cut"]


BULLETED = st.lists(
    st.one_of(
        LINES,
        st.sampled_from(["- a | b", "- a | `b`", "|---|---|", "  --- | ---", "  r | w", "-", "  ===", "===", "  ---"]),
        st.builds(lambda sign, words: f"{sign} {words}", st.sampled_from("-*"), WORDS),
        WORDS.map("- a {}".format),
    ),
    max_size=15,
).map("\n".join)


@THOROUGH
@given(BULLETED)
@example("- a | b\n  --- | ---\n  r | w\n- c\n- d `e | f`\n- g\n- h")  # a table's header is not repeated before an item
@example("- a | b\n-\n- c\n- d | e\n- f\n- g")
@example("- a\n- b\n- c | d\n|---|---|")  # nor is an item that header
@example("- a\n- b\n- a heading\n  ===")
def test_a_list_looks_the_same_wherever_it_is_cut(text: str) -> None:
    looks = []
    for limit in (0, 10**6):
        with mock.patch.object(text_splitter, "LIST_LIMIT", limit):
            drawing = MessageDrawing(message(text))
            looks.append((shown(drawing), copied(drawing, 60)))
    assert looks[0] == looks[1]


def test_a_long_list_is_cut_so_that_little_is_laid_out_again() -> None:
    splitter = Splitter()
    splitter.feed("- **item** with some words\n" * 200)
    assert len(splitter.pieces) > 3
    assert all(piece.joined for piece in splitter.pieces[1:])


def test_an_attached_transcript_is_named_in_words_and_without_its_address() -> None:
    for text, name in (("# Transcript of Claude\n\nhi\n", "Transcript of Claude"), ("hi\n\nho\n", "Transcript")):
        resource = TextResource(uri="acp-tui:transcript/x.md", text=text, mime_type="text/markdown")
        runs = placeholder(EmbeddedResource(resource=resource), palette_for(DARK))
        assert "".join(words for words, _ in runs) == f"▤ {name}  3 lines"
