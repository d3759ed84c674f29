"""Chips that are deleted, put elsewhere and come back."""

from acp_tui.protocol.vocabulary.content import AudioContent, EmbeddedResource, ImageContent, TextResource
from acp_tui.ui.kit.line_editor import LabelledText
from acp_tui.ui.prompt.draft import Chips, unlabelled
from tests.rows import each_of

PICTURE = ImageContent(data="eA==", mime_type="image/png")


def test_a_chip_is_taken_whole_wherever_the_part_begins_or_ends() -> None:
    chips = Chips()
    label = chips.hold("Pasted", "10 KB, 300 lines", "text")
    text = f"see {label} now"
    end = 4 + len(label)
    assert chips.whole(text, end - 3, end) == (4, end)
    assert chips.whole(text, 0, 5) == (0, end)
    assert chips.whole(text, 0, 4) == (0, 4)
    assert chips.whole(text, end, len(text)) == (end, len(text))


def test_a_piece_has_what_its_labels_stand_for_and_no_more() -> None:
    chips = Chips()
    pasted, picture = chips.hold("Pasted", "1 KB", "text"), chips.hold("Image", "a.png", PICTURE)
    assert chips.piece(f"a {picture}") == LabelledText(f"a {picture}", {picture: PICTURE})
    assert chips.piece(pasted).held == {pasted: "text"}


def test_a_piece_comes_back_after_all_was_forgotten_and_in_another_prompt() -> None:
    chips, other = Chips(), Chips()
    pasted, picture = chips.hold("Pasted", "1 KB", "text"), chips.hold("Image", "a.png", PICTURE)
    piece = chips.piece(f"{pasted} and {picture}")
    chips.clear()
    for each in (chips, other):
        text = each.restore(piece)
        assert text == piece.text
        assert each.expand(text) == f"text and {picture}"
        assert each.attachments(text) == (PICTURE,)
    assert other.hold("Image", "b.png", PICTURE).endswith("#3]")


def test_where_a_label_stands_for_something_else_it_gets_another_number() -> None:
    chips, other = Chips(), Chips()
    label = chips.hold("Pasted", "1 KB", "text")
    assert other.hold("Pasted", "1 KB", "another") == label
    text = other.restore(chips.piece(f"see {label}"))
    assert text == "see [Pasted 1 KB #2]"
    assert other.expand(f"{label} {text}") == "another see text"


def test_labels_stand_for_blocks_of_their_kind_again() -> None:
    chips, text = Chips(), "[Transcript A, 1 B #1] [Image a #2] [Audio b #3] [Image c #4]"
    sound = AudioContent(data="eA==", mime_type="audio/wav")
    transcript = EmbeddedResource(resource=TextResource(uri="acp-tui:transcript/x.md", text="hi"))
    picture = ImageContent(data="eA==", mime_type="image/png")
    chips.adopt(text, [picture, sound, transcript])
    assert chips.attachments(text) == (transcript, picture, sound)
    assert set(chips.labels) == {"[Transcript A, 1 B #1]", "[Image a #2]", "[Audio b #3]"}


def test_a_label_that_comes_back_stands_for_its_block_unless_it_does_for_another() -> None:
    chips = Chips()
    first = TextResource(uri="acp-tui:transcript/x.md", text="hi")
    one, other = (EmbeddedResource(resource=each) for each in (first, first.model_copy(update={"text": "ho"})))
    chips.stand_for("[Transcript A #1]", one)
    chips.stand_for("[Transcript A #1]", other)
    assert chips.attachments("[Transcript A #1]") == (one,)


def test_what_looks_like_a_label_becomes_plain_words() -> None:
    said = unlabelled("see [Image a.png, 1 B #1], [Transcript A #2] and [Pasted 1 B #3]")
    assert said == "see (Image a.png, 1 B #1), (Transcript A #2) and [Pasted 1 B #3]"


@each_of(
    ("before", "after", "piece"), [("a [x]", "b", ""), ("a {}", "b", "{}"), ("{}{}", "", "{}"), ("a {} ", "{}", "")]
)
def test_the_label_before_the_cursor_is_one_piece(before: str, after: str, piece: str) -> None:
    chips = Chips()
    label = chips.hold("Pasted", "300 lines", "text")
    before, after, piece = (part.replace("{}", label) for part in (before, after, piece))
    assert chips.piece_before(before + after, len(before)) == len(piece)


@each_of(
    ("text", "pasted", "put_back"),
    [
        ("line\n" * 14, False, False),
        ("line\n" * 14 + "line", True, False),
        ("line\n" * 15, True, False),
        ("x" * 1_499, False, False),
        ("x" * 1_500, True, False),
        ("line\n" * 200, True, True),
        ("é" * 5_001, True, True),
    ],
)
def test_a_long_paste_is_a_chip_and_what_one_wrote_only_if_it_is_huge(text: str, pasted: bool, put_back: bool) -> None:
    chips = Chips()
    for fold, folded in ((chips.fold_paste, pasted), (chips.fold, put_back)):
        shown = fold(text)
        assert (shown != text, chips.is_text_before(f"see {shown}")) == (folded, folded)
        assert chips.expand(shown) == text


@each_of(
    ("text", "label"),
    [
        ("line\n" * 20, "[Pasted 20 lines #1]"),
        ("x" * 1_500, "[Pasted 1 line #1]"),
        ("x" * 20_000, "[Pasted 1 line, 20.0 KB #1]"),
        ("line " * 100 + "\n", ""),
    ],
)
def test_a_paste_is_named_by_its_lines_and_its_size_if_that_is_large(text: str, label: str) -> None:
    assert Chips().fold_paste(text) == (label or text)
