from hypothesis import given
from hypothesis import strategies as st

from acp_tui.headless.text_report import MessageGrowth, TerminalGrowth
from acp_tui.protocol.vocabulary.content import Annotations, ContentBlock, ImageContent, TextContent
from acp_tui.session.entries import MessageEntry
from acp_tui.session.folds.messages import append_block, parts_of
from acp_tui.session.state import Terminal
from tests.examples import THOROUGH

IMAGE = ImageContent(data="", mime_type="image/png")


def text(words: str) -> TextContent:
    return TextContent(text=words)


class TestMessage:
    def test_only_what_is_new(self) -> None:
        entry, growth = MessageEntry("m", "agent"), MessageGrowth()
        assert growth.look(entry) == (False, [])
        append_block(entry.parts, text("one "))
        append_block(entry.parts, text("two "))
        assert growth.look(entry) == (False, ["one two "])
        append_block(entry.parts, text("three"))
        append_block(entry.parts, IMAGE)
        append_block(entry.parts, text("four"))
        assert growth.look(entry) == (False, ["three", IMAGE, "four"])
        assert growth.look(entry) == (False, [])

    def test_a_replacement_is_told_and_whole(self) -> None:
        entry, growth = MessageEntry("m", "agent", parts_of([text("one"), IMAGE])), MessageGrowth()
        growth.look(entry)
        entry.parts = parts_of([text("other")])
        assert growth.look(entry) == (True, ["other"])
        append_block(entry.parts, text("!"))
        assert growth.look(entry) == (False, ["!"])

    def test_a_message_may_be_emptied(self) -> None:
        entry, growth = MessageEntry("m", "agent", parts_of([text("one")])), MessageGrowth()
        growth.look(entry)
        entry.parts = []
        assert growth.look(entry) == (True, [])

    def test_text_that_is_not_for_the_user_is_told_once_however_it_comes(self) -> None:
        entry, growth, aside = MessageEntry("m", "agent"), MessageGrowth(), Annotations(audience=["assistant"])
        for start in ([], [text("before")]):
            entry.parts, growth = parts_of(start), MessageGrowth()
            growth.look(entry)
            for letter in "abc":
                append_block(entry.parts, TextContent(text=letter, annotations=aside))
                assert growth.look(entry) == (False, [TextContent(text=letter, annotations=aside)])
            assert growth.look(entry) == (False, [])
            entry.parts = parts_of([*start, TextContent(text="other", annotations=aside)])
            assert growth.look(entry)[0]

    @THOROUGH
    @given(steps=st.lists(st.lists(st.sampled_from(["a", "b\n", "ccc", ""]) | st.just(IMAGE), max_size=4)))
    def test_all_looks_together_are_the_message(self, steps: list[list[str | ImageContent]]) -> None:
        entry, growth = MessageEntry("m", "agent"), MessageGrowth()
        seen: list[str | ContentBlock] = []
        for step in steps:
            for item in step:
                append_block(entry.parts, text(item) if isinstance(item, str) else item)
            replaced, new = growth.look(entry)
            assert not replaced
            seen += new
        joined = "".join(item if isinstance(item, str) else "<image>" for item in seen)
        assert joined == "".join(item if isinstance(item, str) else "<image>" for step in steps for item in step)


class TestTerminal:
    def test_only_what_is_new(self) -> None:
        terminal, growth = Terminal("t"), TerminalGrowth()
        terminal.append(b"one")
        assert growth.look(terminal) == (False, b"one")
        terminal.append(b"two")
        terminal.append(b"three")
        assert growth.look(terminal) == (False, b"twothree")
        assert growth.look(terminal) == (False, b"")

    def test_dropped_output_was_seen(self) -> None:
        terminal, growth = Terminal("t"), TerminalGrowth()
        terminal.append(b"one")
        growth.look(terminal)
        terminal.chunks, terminal.size, terminal.dropped = [b"e"], 1, 2
        terminal.append(b"two")
        assert growth.look(terminal) == (False, b"two")

    def test_a_replacement_is_told_and_whole(self) -> None:
        terminal, growth = Terminal("t"), TerminalGrowth()
        terminal.append(b"something long")
        growth.look(terminal)
        terminal.replace(b"short")
        assert growth.look(terminal) == (True, b"short")
