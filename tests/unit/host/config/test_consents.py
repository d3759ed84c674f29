"""Consents: remembered exactly, and lost rather than guessed."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from acp_tui.host.config.choices import Consents, fingerprint


def test_a_consent_is_remembered() -> None:
    Consents().add("abc", Path("/project"), "mine")
    Consents().add("def", Path("/project"), "mine")
    assert Consents().holds("abc")
    assert Consents().holds("def")
    assert not Consents().holds("ab")


def test_a_damaged_file_loses_only_what_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "consents.jsonl"
    path.write_bytes(b'{"start": "half')
    consents = Consents(path)
    consents.add("abc", Path("/project"), "mine")
    assert consents.holds("abc")
    path.write_bytes(b'\xff\n[]\n{"start": 1}\n{"start": ""}\n' + path.read_bytes())
    assert consents.holds("abc")
    assert not consents.holds("1")


starts = st.tuples(st.sampled_from("ab"), st.sampled_from("mn"), st.lists(st.text(max_size=2), max_size=2))


@given(starts, starts)
def test_another_start_is_another_word(one: tuple[str, str, list[str]], two: tuple[str, str, list[str]]) -> None:
    words = [fingerprint(Path("/", folder), name, start) for folder, name, start in (one, two)]
    assert (words[0] == words[1]) == (one == two)
