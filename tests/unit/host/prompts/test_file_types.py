"""What type a file is said to be, whatever list the system has."""

import mimetypes

import pytest

from acp_tui.host.prompts.mentions import type_of


@pytest.mark.parametrize("known_to_the_system", [None, "text/vnd.trolltech.linguist"])
@pytest.mark.parametrize(
    ("name", "mime_type"),
    [
        ("shot.WebP", "image/webp"),
        ("say.wav", "audio/wav"),
        ("say.m4a", "audio/mp4"),
        ("src/login.test.ts", "text/typescript"),
        ("lib.rs", "text/x-rust"),
    ],
)
def test_a_name_means_the_same_on_every_machine(
    monkeypatch: pytest.MonkeyPatch, name: str, mime_type: str, known_to_the_system: str | None
) -> None:
    monkeypatch.setattr(mimetypes, "guess_type", lambda _name: (known_to_the_system, None))
    assert type_of(name) == mime_type


@pytest.mark.parametrize("name", ["Makefile", ".png", "a.nothing-known", ""])
def test_where_nobody_knows_there_is_none(name: str) -> None:
    assert type_of(name) is None
