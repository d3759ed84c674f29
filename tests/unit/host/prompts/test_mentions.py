"""What a mention becomes."""

import base64
import os
from pathlib import Path

import pytest

from acp_tui.host.prompts import mentions
from acp_tui.host.prompts.mentions import AttachedBlock, attach, find_mention, mentioned_path
from acp_tui.host.system import workspace_files as files
from acp_tui.protocol.capabilities import PromptCapabilities
from acp_tui.protocol.vocabulary.content import AudioContent, EmbeddedResource, ImageContent, ResourceLink, TextResource
from acp_tui.session.text.mentions import Mention

ALL = PromptCapabilities(image=True, audio=True, embedded_context=True)
NONE = PromptCapabilities()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    project.mkdir()
    (project / "a b.py").write_text("one\ntwo\nthree\nfour\n")
    (project / "x.bin").write_bytes(b"\x00\xff\xfe")
    (project / "shot.png").write_bytes(b"png")
    (project / "say.wav").write_bytes(b"wav")
    (project / "sub").mkdir()
    (tmp_path / "outside.txt").write_text("out")
    return project


def attached(root: Path, path: str, agent: PromptCapabilities, first: int = 0, last: int = 0) -> AttachedBlock:
    found = find_mention(Mention(0, 1, path, first, last), [str(root)])
    assert found is not None
    return attach(found, agent)


def test_a_link_where_nothing_else_is_taken(root: Path) -> None:
    block = attached(root, "a b.py", NONE, 2, 3).block
    assert isinstance(block, ResourceLink)
    assert block.uri == (root / "a b.py").as_uri()
    assert (block.name, block.size) == ("a b.py:2-3", 19)


def test_the_text_where_it_is_taken(root: Path) -> None:
    block = attached(root, "a b.py", ALL).block
    assert isinstance(block, EmbeddedResource)
    assert block.resource == TextResource(
        uri=(root / "a b.py").as_uri(), text="one\ntwo\nthree\nfour\n", mime_type=block.resource.mime_type
    )


@pytest.mark.parametrize(("first", "last", "text"), [(2, 3, "two\nthree\n"), (4, 4, "four\n"), (9, 12, "")])
def test_some_lines(root: Path, first: int, last: int, text: str) -> None:
    block = attached(root, "a b.py", ALL, first, last).block
    assert isinstance(block, EmbeddedResource)
    assert isinstance(block.resource, TextResource)
    assert block.resource.text == text
    assert block.resource.uri.endswith(f"#L{first}-L{last}")


def test_what_is_no_text_is_a_link_and_that_is_said(root: Path) -> None:
    result = attached(root, "x.bin", ALL)
    assert isinstance(result.block, ResourceLink)
    assert "is not text" in result.note


def test_what_is_too_big_is_a_link_and_that_is_said(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mentions, "MOST_TEXT", 10)
    assert "over" in attached(root, "a b.py", ALL).note
    assert isinstance(attached(root, "a b.py", ALL, 2, 2).block, EmbeddedResource)
    assert "over" in attached(root, "a b.py", ALL, 1, 4).note
    monkeypatch.setattr(mentions, "MOST_MEDIA", 1)
    assert isinstance(attached(root, "shot.png", ALL).block, ResourceLink)


def test_pictures_and_sounds_where_they_are_taken(root: Path) -> None:
    picture, sound = attached(root, "shot.png", ALL).block, attached(root, "say.wav", ALL).block
    assert isinstance(picture, ImageContent)
    assert (base64.b64decode(picture.data), picture.mime_type) == (b"png", "image/png")
    assert isinstance(sound, AudioContent)
    assert sound.mime_type == "audio/wav"
    assert isinstance(attached(root, "shot.png", NONE).block, ResourceLink)


def test_a_folder_is_a_link(root: Path) -> None:
    block = attached(root, "sub/", ALL).block
    assert isinstance(block, ResourceLink)
    assert block.mime_type == "inode/directory"


def test_what_cannot_be_read_is_a_link(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(mentions, "open_regular", refuse)
    assert "Permission denied" in attached(root, "a b.py", ALL).note


def test_a_fifo_is_a_link_and_not_waited_for(root: Path) -> None:
    os.mkfifo(root / "fifo.png")
    result = attached(root, "fifo.png", ALL)
    assert isinstance(result.block, ResourceLink)
    assert result.note == "fifo.png is not a regular file: sent as a link"


def test_lines_that_are_too_far_down_are_a_link(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_SKIPPED", 5)
    assert "too far into the file" in attached(root, "a b.py", ALL, 3, 3).note
    assert attached(root, "a b.py", ALL, 2, 2).note == ""


@pytest.mark.parametrize("exchanged", ["sub", "sub/in.txt"])
def test_what_took_the_place_of_a_file_is_not_sent(root: Path, exchanged: str) -> None:
    (root / "sub/in.txt").write_text("inside")
    (root.parent / "other").mkdir()
    (root.parent / "other/in.txt").write_text("outside")
    found = find_mention(Mention(0, 1, "sub/in.txt"), [str(root)])
    assert found is not None
    (root / exchanged).rename(root / "away")
    (root / exchanged).symlink_to(root.parent / "other" / Path(exchanged).relative_to("sub"))
    result = attach(found, ALL)
    assert isinstance(result.block, ResourceLink)
    assert result.note == "sub/in.txt was moved: sent as a link"


@pytest.mark.parametrize("path", ["missing.py", "a\x00b", "~nobody-at-all/x"])
def test_what_is_not_there(root: Path, path: str) -> None:
    assert find_mention(Mention(0, 1, path), [str(root)]) is None


@pytest.mark.parametrize(("path", "inside"), [("sub", True), ("../outside.txt", False), ("link", False)])
def test_inside_or_outside(root: Path, path: str, inside: bool) -> None:
    (root / "link").symlink_to(root.parent / "outside.txt")
    found = find_mention(Mention(0, 1, path), [str(root)])
    assert found is not None
    assert found.inside is inside


def test_how_a_mention_names_a_dropped_path(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "c.py").write_text("c")
    (root / "link.py").symlink_to("a b.py")
    (root / "out.txt").symlink_to(tmp_path / "outside.txt")
    (tmp_path / "way").symlink_to(root)
    roots = [str(root), str(other)]
    named = {
        root / "a b.py": "a b.py",
        root / "sub": "sub/",
        f"{root}/sub/../a b.py": "a b.py",
        root / "link.py": "link.py",
        tmp_path / "way" / "x.bin": "x.bin",
        other / "c.py": str(other / "c.py"),
        root: f"{root}/",
        root / "out.txt": "",
        tmp_path / "outside.txt": "",
        root / "gone.py": "",
        "/\0": "",
    }
    assert {path: mentioned_path(str(path), roots) for path in named} == named
