"""What is attached to a draft outlives a crash."""

from pathlib import Path

import pytest

from acp_tui.host.prompts.drafts import ATTACHED, KeptDraft, read_attachment
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.vocabulary.content import (
    AudioContent,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    TextResource,
    content_data,
)
from tests.rows import each_of

TRANSCRIPT = EmbeddedResource(
    resource=TextResource(uri="acp-tui:transcript/x.md", text="# Transcript", mime_type="text/markdown")
)
BLOCKS: tuple[ContentBlock, ...] = (
    ImageContent(data="eA==", mime_type="image/png"),
    AudioContent(data="eA==", mime_type="audio/wav"),
    TRANSCRIPT,
)


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.type)
def test_each_kind_is_read_as_it_was_written(block: ContentBlock) -> None:
    assert read_attachment(content_data(block)) == block


def left_by_a_dead_run(history: Path) -> Path:
    """Where its attachments are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.getpid", lambda: 2**22 + 1)  # more than Linux gives out
        dead = KeptDraft(history)
    dead.keep("Continue [Transcript A, 1 B #1]", (TRANSCRIPT,))
    dead.close()
    assert dead._file is not None
    return dead._file.with_name(dead._file.name + ATTACHED)


def test_a_handed_over_transcript_is_left_behind_with_its_draft(tmp_path: Path) -> None:
    history = tmp_path / "project.jsonl"
    left_by_a_dead_run(history)
    [left] = KeptDraft(history).left_behind()
    assert left.attached == (TRANSCRIPT,)


@each_of("damage", [b"", b"{}", b'[{"type": "image"}]', b"[7]", b"[]"])
def test_the_text_is_there_where_what_was_attached_is_lost(tmp_path: Path, damage: bytes) -> None:
    history = tmp_path / "project.jsonl"
    left_by_a_dead_run(history).write_bytes(damage)
    [left] = KeptDraft(history).left_behind()
    assert (left.text, left.attached) == ("Continue [Transcript A, 1 B #1]", ())


@pytest.mark.parametrize("told", [{}, {"type": "text", "text": "x"}, {"type": "resource"}, 7])
def test_anything_else_is_none(told: object) -> None:
    with pytest.raises((TypeError, KeyError, ProtocolFault)):
        read_attachment(told)
