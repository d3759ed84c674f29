"""Starting an agent: what is missing is named, whenever it went."""

from pathlib import Path

import pytest

from acp_tui.errors import AgentFault, UserFault
from acp_tui.host.connection.process_start import Spawn


def test_a_folder_that_is_gone_is_named(tmp_path: Path) -> None:
    gone = str(tmp_path / "gone")
    with pytest.raises(UserFault, match=f"{gone} no longer exists"):
        Spawn.of(("/bin/sh",), {}, gone)


def test_a_folder_that_goes_meanwhile_is_no_interpreter(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    spawn = Spawn.of(("/bin/sh",), {}, str(tmp_path / "work"))
    (tmp_path / "work").rmdir()
    with pytest.raises(AgentFault) as raised:
        spawn.start()
    assert raised.value.message == f"{tmp_path}/work no longer exists"


def test_an_interpreter_that_is_not_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "agent").write_text("#!/no/such/interpreter\n")
    (tmp_path / "agent").chmod(0o700)
    with pytest.raises(AgentFault, match="interpreter not found"):
        Spawn.of((str(tmp_path / "agent"),), {}, str(tmp_path)).start()
