"""The docked panel: what the panels that ask share stands in one place."""

from textual.dom import DOMNode

from acp_tui.ui.questions.docked_panel import DockedPanel
from acp_tui.ui.questions.elicitation_panel import ElicitationPanel
from acp_tui.ui.questions.login_panel import LoginPanel
from acp_tui.ui.questions.permission_panel import PermissionPanel
from tests.rows import each_of

ONCE = {"on_mount", "on_focus", "on_click", "on_resize", "present", "put_away", "vacate", "let_go", "click_counts"}
STYLED_ONCE = ("display: none;", "border-left: outer $warning", ".-banner", ".-vacant")


def _own(panel: type[DOMNode]) -> list[type]:
    """The classes of a panel above the docked one."""
    return [each for each in panel.__mro__ if issubclass(each, DockedPanel) and each is not DockedPanel]


@each_of("panel", [PermissionPanel, ElicitationPanel, LoginPanel])
def test_docking_frame_and_focus_are_those_of_the_docked_panel(panel: type[DockedPanel]) -> None:
    own = _own(panel)
    assert own
    assert [name for each in own for name in sorted(ONCE & vars(each).keys())] == []
    css = "".join(vars(each).get("DEFAULT_CSS", "") for each in own)
    assert [style for style in STYLED_ONCE if style in css] == []
