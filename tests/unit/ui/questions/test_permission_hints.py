"""The key hints of the permission panel."""

from acp_tui.ui.questions.permission_options import hints
from tests.rows import each_of


@each_of("room", [200, 70, 60, 45, 30])
@each_of("writing", ["reason", "reject", ""])
def test_hints_are_never_cut_and_the_way_out_is_always_said(room: int, writing: str) -> None:
    said = hints(room, writing=writing, diffs=True, layout="unified")
    assert said.plain.endswith({"reason": "esc back", "reject": "esc to prompt", "": "esc later"}[writing])
    assert ("v full screen" in said.plain) is not bool(writing)
    if room > 30:
        assert said.cell_length <= room
        assert said.plain.startswith("enter reject with message" if writing == "reject" else "enter confirm")
