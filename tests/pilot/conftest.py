import pytest
from textual.css.model import RuleSet
from textual.notifications import Notification

from tests.answering import deliberate_keys
from tests.at_work import looked_first, own_home
from tests.pilot.stylesheets import work_out_once
from tests.pilot.unseen_frames import leave_unseen
from tests.still import wait_until_still

__all__ = ["deliberate_keys", "looked_first", "own_home"]

# Each of some hundred nodes asks for the hash of each rule of the stylesheets: the same one, without a call in Python
# it costs a fourteenth less to start an app.
setattr(RuleSet, "__hash__", object.__hash__)  # noqa: B010 (mypy knows it as a method)


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pause is over when the app is still, on machines of any speed."""
    wait_until_still(monkeypatch)


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Toasts stay, and two presses in a row are two presses in a row, however long it takes to get there."""
    monkeypatch.setattr(Notification, "has_expired", False)
    monkeypatch.setattr(Notification, "time_left", 1e6)
    monkeypatch.setattr("acp_tui.ui.kit.session_view.WITHIN", 1e6)


@pytest.fixture(autouse=True)
def styles_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of a test by keys would be Textual asking which styles hold."""
    work_out_once(monkeypatch)


@pytest.fixture(autouse=True)
def unseen(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most frames are seen by nobody; a file about painting says `pytestmark = pytest.mark.painted`."""
    if request.node.get_closest_marker("painted") is None:
        leave_unseen(monkeypatch)
