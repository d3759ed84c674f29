"""Drafts that were put aside, in files."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.errors import UserFault
from acp_tui.host.prompts import drafts
from acp_tui.host.prompts.drafts import DAMAGED, STASHED_AT_MOST, Stash, StashedDraft, stash_of
from acp_tui.protocol.vocabulary.content import AudioContent, ContentBlock, ImageContent
from tests.examples import SHARING
from tests.unit.protocol.official import json_values

DRAFT = StashedDraft(
    "see [Image a.png #1] and [Pasted 1 KB #2]",
    {"[Image a.png #1]": ImageContent(data="eA==", mime_type="image/png"), "[Pasted 1 KB #2]": "text"},
)
FIRST, SECOND = StashedDraft("first"), StashedDraft("second")


@pytest.fixture(params=["file", "memory"])
def stash(request: pytest.FixtureRequest, tmp_path: Path) -> Stash:
    return Stash(tmp_path / "stash" if request.param == "file" else None)


def test_the_newest_comes_back_first_and_each_once(stash: Stash) -> None:
    for draft in (FIRST, SECOND, DRAFT):
        stash.put(draft)
    assert len(stash.names()) == 3
    assert [stash.take() for _ in range(4)] == [DRAFT, SECOND, FIRST, None]


@pytest.mark.parametrize("clock", [[7, 7, 7], [9, 8, 7]], ids=["coarse", "set back"])
def test_their_order_does_not_hang_on_the_clock(
    stash: Stash, clock: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.time_ns", iter(clock).__next__)
    for draft in (FIRST, SECOND, DRAFT):
        stash.put(draft)
    assert [stash.take() for _ in range(3)] == [DRAFT, SECOND, FIRST]


def test_one_of_them_is_taken_by_its_name(stash: Stash) -> None:
    first = stash.put(FIRST)
    stash.put(SECOND)
    assert stash.take(first) == FIRST
    assert stash.take(first) is None
    assert stash.take() == SECOND


def test_whoever_listens_hears_until_it_leaves(stash: Stash) -> None:
    told: list[int] = []
    end = stash.subscribe(lambda: told.append(len(stash.names())))
    stash.put(FIRST)
    stash.take()
    end()
    end()
    stash.put(FIRST)
    assert told == [1, 0]


def test_there_is_an_end_to_it(stash: Stash) -> None:
    for _ in range(STASHED_AT_MOST):
        stash.put(FIRST)
    with pytest.raises(UserFault, match=f"{STASHED_AT_MOST} prompts are already stashed"):
        stash.put(FIRST)
    assert len(stash.names()) == STASHED_AT_MOST


def test_runs_of_one_project_share_them(tmp_path: Path) -> None:
    one, other = Stash(tmp_path / "p"), Stash(tmp_path / "p")
    one.put(DRAFT)
    assert other.take() == DRAFT
    assert one.take() is None


def test_what_another_run_takes_meanwhile_is_not_taken_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = Stash(tmp_path / "p"), Stash(tmp_path / "p")
    one.put(FIRST)
    one.put(SECOND)
    read = drafts._read

    def slowly(data: bytes) -> StashedDraft:
        monkeypatch.setattr(drafts, "_read", read)
        assert other.take() == SECOND
        return read(data)

    monkeypatch.setattr(drafts, "_read", slowly)
    assert one.take() == FIRST
    assert one.names() == []


def test_sessions_of_one_project_have_one_stash(tmp_path: Path) -> None:
    one = stash_of(tmp_path / "a.jsonl")
    assert stash_of(tmp_path / "a.jsonl") is one
    assert stash_of(tmp_path / "b.jsonl") is not one
    assert stash_of(None) is not stash_of(None)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"\xff",
        b'{"text": 7, "held": {}}',
        b'{"text": "x"}',
        b'{"text": "x", "held": []}',
        b'{"text": "[a #1]", "held": {"[a #1]": {"type": "image"}}}',
        b'{"text": "[a #1]", "held": {"[a #1]": 7}}',
        b'{"text": "x", "held": {"": "y"}}',
        b'{"text": "x", "held": {"[a #1]": "y"}}',
        b'{"text": "\\ud800", "held": {}}',
        b'{"text": "[a #1]", "held": {"[a #1]": "\\udfff"}}',
        b"[" * 100_000,
    ],
)
def test_what_is_damaged_is_said_and_stays_under_another_name(tmp_path: Path, data: bytes) -> None:
    stash = Stash(tmp_path)
    stash.put(FIRST)
    damaged = tmp_path / stash.put(SECOND)
    damaged.write_bytes(data)
    with pytest.raises(UserFault, match="Damaged"):
        stash.take()
    assert damaged.with_suffix(DAMAGED).read_bytes() == data
    assert stash.take() == FIRST
    assert stash.take() is None


def test_too_much_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drafts, "STASHED_BYTES", 100)
    stash = Stash(tmp_path)
    with pytest.raises(UserFault, match="Too large"):
        stash.put(StashedDraft("x" * 101))
    assert stash.names() == []


held = (
    st.text()
    | st.builds(ImageContent, data=st.just("eA=="), mime_type=st.text())
    | st.builds(AudioContent, data=st.just("eA=="), mime_type=st.text())
)


@SHARING
@given(st.text(), st.dictionaries(st.text(min_size=1), held, max_size=3))
def test_a_draft_comes_back_as_it_was(tmp_path: Path, text: str, held: dict[str, str | ContentBlock]) -> None:
    stash, draft = Stash(tmp_path), StashedDraft(text + "".join(held), held)
    stash.put(draft)
    assert stash.take() == draft


@SHARING
@given(json_values)
def test_whatever_is_in_a_file_nothing_but_a_fault_is_raised(tmp_path: Path, told: object) -> None:
    stash = Stash(tmp_path)
    file = tmp_path / stash.put(FIRST)
    file.write_text(json.dumps(told))
    with pytest.raises(UserFault):
        stash.take()
