import pytest

from acp_tui.host.sessions.known_sessions import newest
from acp_tui.protocol.vocabulary.initialization import SessionInfo


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ([], None),
        ([None, None], 0),
        ([None, "2026-01-01T00:00:00Z", "yesterday"], 1),
        (["2026-01-01T00:00:00Z", "2026-01-01T00:30:00+01:00"], 0),
        (["2026-01-01T00:00:00", "2026-01-01T00:00:01Z", "2026-01-01"], 1),
    ],
)
def test_the_newest_session(times: list[str | None], expected: int | None) -> None:
    entries = [SessionInfo(session_id=str(at), cwd="/", updated_at=time) for at, time in enumerate(times)]
    assert newest(entries) is (None if expected is None else entries[expected])


def test_one_without_a_title_is_the_newest_only_where_none_has_one() -> None:
    entries = [
        SessionInfo(session_id="used", cwd="/", title="Fix", updated_at="2026-01-01T00:00:00Z"),
        SessionInfo(session_id="unused", cwd="/", updated_at="2026-01-02T00:00:00Z"),
    ]
    assert newest(entries) is entries[0]
    assert newest(entries[1:]) is entries[1]
