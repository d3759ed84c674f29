import sys
import time

import pytest

from tests.answering import deliberate_keys
from tests.at_work import looked_first, own_home
from tests.still import wait_until_still

__all__ = ["deliberate_keys", "looked_first", "own_home"]


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture is taken when the app is still, on machines of any speed."""
    wait_until_still(monkeypatch)
    monkeypatch.setenv("TZ", "UTC")
    if sys.platform != "win32":
        time.tzset()
