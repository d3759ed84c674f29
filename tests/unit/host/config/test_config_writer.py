"""One table is written into the user's config; everything else stays as it is, or the file is left alone."""

import os
import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.errors import UserFault
from acp_tui.host.config.config import ConfigFile, own_file
from acp_tui.host.config.config_writer import write_agent
from acp_tui.host.config.settings import template
from acp_tui.host.config.toml_edit import Value, table_lines
from tests.own_config import write_own_config
from tests.rows import each_of

VALUES: dict[str, Value] = {"command": "/bin/x", "args": ["acp"], "env": {"A": "1"}, "package": "npm:x@1.0.0"}
TABLE = '[agents.x]\ncommand = "/bin/x"\nargs = ["acp"]\nenv = { A = "1" }\npackage = "npm:x@1.0.0"\n'


def write(text: str, values: dict[str, Value] | None = None, name: str = "x") -> str:
    path = own_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    write_agent(ConfigFile.read(path), name, VALUES if values is None else values)
    return path.read_bytes().decode()


def refused(text: str, values: dict[str, Value] | None = None) -> UserFault:
    """The file stays as it is, and the lines are told."""
    with pytest.raises(UserFault, match="was not written") as raised:
        write(text, values)
    assert own_file().read_bytes() == text.encode()
    assert '\ncommand = "/bin/x"' in raised.value.hint
    return raised.value


def test_without_a_file_a_private_one_is_made() -> None:
    write_agent(ConfigFile.read(own_file()), "x", VALUES)
    assert own_file().read_text() == f"{template()}\n{TABLE}"
    assert stat.S_IMODE(own_file().stat().st_mode) == 0o600
    assert [path.name for path in own_file().parent.iterdir()] == [own_file().name]


@each_of(
    "before",
    [
        "",
        "\n",
        "# mine\ntheme = 'nord'  # dark\n\n[agents.y]\ncommand = 'y'\n",
        "\ufeff# begins with a mark\n[keys]\n",
        "# [agents.x]\n",
        "[agents]\n",
        "[agents.x.mcp_servers.a]\ncommand = 'a'\n",
        "theme = '''\n  three lines\n'''\n",
    ],
)
def test_a_table_is_added_at_the_end(before: str) -> None:
    assert write(before) == (f"{before}\n{TABLE}" if before else TABLE)


def test_a_table_inside_that_says_the_same_already_stays() -> None:
    before = "[agents.x.env]\nA = '1' # mine\n"
    assert write(before) == f"{before}\n{TABLE}".replace('env = { A = "1" }\n', "")


def test_a_last_line_without_an_end_gets_one() -> None:
    assert write("theme = 'nord' # x") == f"theme = 'nord' # x\n\n{TABLE}"


def test_the_ends_of_lines_are_those_of_the_file() -> None:
    table = TABLE.replace("\n", "\r\n")
    assert write("theme = 'nord'\r\n") == f"theme = 'nord'\r\n\r\n{table}"
    before = "[agents.x] # mine\r\ntitle = 'X'\r\n"
    assert write(before, {"command": "/bin/x"}) == "[agents.x] # mine\r\ntitle = 'X'\r\ncommand = \"/bin/x\"\r\n"


def test_a_table_that_is_there_gets_what_it_lacks() -> None:
    before = "# a\n[ agents . 'x' ]  # b\n# c\ntitle = 'X' # d\n\n[agents.y]\ncommand = 'y' # e\n"
    after = write(before)
    lines = TABLE.splitlines(keepends=True)[1:]
    assert after == before.replace("# d\n", "# d\n" + "".join(lines))


def test_other_values_take_the_place_of_old_ones_and_comments_stay() -> None:
    before = (
        "[agents.x]\n  command = 'old # no comment'   # mine\nargs = [\n  'acp', # two\n]\npackage='npm:x@0.1.0'#c\n"
    )
    after = write(before, {"command": "/bin/x", "args": ["acp"], "package": "npm:x@1.0.0"})
    assert after == (
        '[agents.x]\n  command = "/bin/x"   # mine\nargs = [\n  \'acp\', # two\n]\npackage="npm:x@1.0.0"#c\n'
    )


@pytest.mark.parametrize(
    "before",
    [
        "agents = { y = { command = 'y' } }\n",
        "[agents.x]\nargs = ['other']\n",
        "[agents.x]\nenv = { B = '1' }\n",
        "[agents.x]\nargs = ['acp', # mine\n]\nenv = { A = '2' }\n",
    ],
)
def test_what_is_the_users_or_set_out_otherwise_is_left_alone(before: str) -> None:
    refused(before)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("agents = { x = { command = 'y' } } # c\n", 'agents = { x = { command = "/bin/x" } } # c\n'),
        ("# a\nagents.x.command = 'y' # c\nmouse = true\n", '# a\nagents.x.command = "/bin/x" # c\nmouse = true\n'),
        ("[agents]\nx.command = 'y'\n[keys]\n", '[agents]\nx.command = "/bin/x"\n[keys]\n'),
        ("[agents.x]\ncommand = '''\ny''' # c\n", '[agents.x]\ncommand = "/bin/x" # c\n'),
        (
            "t = '''\n[agents.x]\n'''\n[agents.x]\ncommand = 'y'\n",
            "t = '''\n[agents.x]\n'''\n[agents.x]\ncommand = \"/bin/x\"\n",
        ),
        (
            "[agents.x.env]\nA = '1'\n[agents.x]\ntitle = 'X'\n\n# k\n[keys]\n",
            "[agents.x.env]\nA = '1'\n[agents.x]\ntitle = 'X'\ncommand = \"/bin/x\"\n\n# k\n[keys]\n",
        ),
        ("[agents.x]\n\n# y\n[agents.y]\n[keys]\n", '[agents.x]\ncommand = "/bin/x"\n\n# y\n[agents.y]\n[keys]\n'),
    ],
)
def test_however_it_is_set_out_one_line_changes(before: str, after: str) -> None:
    assert write(before, {"command": "/bin/x"}) == after


def test_a_name_too_long_to_be_written_out_is_refused() -> None:
    with pytest.raises(UserFault, match="cannot be edited automatically"):
        write("mouse = true\n", name="x" * 200)
    assert own_file().read_text() == "mouse = true\n"


def test_a_file_that_has_changed_since_is_left_alone() -> None:
    write_own_config("theme = 'nord'\n")
    read = ConfigFile.read(own_file())
    own_file().write_text("theme = 'dracula'\n")
    with pytest.raises(UserFault, match="edited in the meantime") as raised:
        write_agent(read, "x", VALUES)
    assert own_file().read_text() == "theme = 'dracula'\n"
    assert raised.value.hint.endswith(TABLE.rstrip())


def test_a_file_that_came_or_went_since_is_left_alone() -> None:
    read = ConfigFile.read(own_file())
    write_own_config("theme = 'nord'\n")
    with pytest.raises(UserFault, match="edited in the meantime"):
        write_agent(read, "x", VALUES)
    read = ConfigFile.read(own_file())
    own_file().unlink()
    with pytest.raises(UserFault, match="edited in the meantime"):
        write_agent(read, "x", VALUES)
    assert not own_file().exists()


def test_it_is_written_through_a_link_and_keeps_its_mode() -> None:
    target = own_file().parent / "dotfiles" / "acp.toml"
    target.parent.mkdir(parents=True)
    target.write_text("# mine\n")
    target.chmod(0o640)
    own_file().symlink_to("dotfiles/acp.toml")
    write_agent(ConfigFile.read(own_file()), "x", VALUES)
    assert own_file().is_symlink()
    assert target.read_text() == f"# mine\n\n{TABLE}"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert [path.name for path in target.parent.iterdir()] == ["acp.toml"]


def test_a_link_that_leads_to_no_file_yet_makes_one_there() -> None:
    own_file().parent.mkdir(parents=True)
    own_file().symlink_to("dotfiles/acp.toml")
    write_agent(ConfigFile.read(own_file()), "x", VALUES)
    assert own_file().is_symlink()
    assert (own_file().parent / "dotfiles" / "acp.toml").read_text().endswith(f"\n{TABLE}")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
def test_it_keeps_its_owner() -> None:
    write_own_config("")
    os.chown(own_file(), 12345, 54321)
    write_agent(ConfigFile.read(own_file()), "x", VALUES)
    kept = own_file().stat()
    assert (kept.st_uid, kept.st_gid) == (12345, 54321)


def test_a_file_that_may_not_be_written_is_left_alone() -> None:
    write_own_config("# mine\n")
    own_file().chmod(0o444)
    with pytest.raises(UserFault, match="read-only"):
        write_agent(ConfigFile.read(own_file()), "x", VALUES)
    assert own_file().read_text() == "# mine\n"


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="no device by that name")
def test_a_device_is_not_taken_for_an_empty_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """`config.toml` may lead to /dev/null: an administrator's file would take the place of the device itself."""
    monkeypatch.setattr(Path, "replace", lambda path, target: pytest.fail(f"{target} was replaced"))
    own_file().parent.mkdir(parents=True)
    own_file().symlink_to("/dev/null")
    with pytest.raises(UserFault, match="not a regular file"):
        write_agent(ConfigFile.read(own_file()), "x", VALUES)


def test_what_cannot_be_read_is_left_alone() -> None:
    own_file().parent.mkdir(parents=True)
    read = ConfigFile.read(own_file())
    own_file().mkdir()
    with pytest.raises(UserFault, match="was not written"):
        write_agent(read, "x", VALUES)


texts = st.text(max_size=8, alphabet=st.characters(exclude_categories=["Cs"]))


def test_what_no_config_file_may_say_is_not_written() -> None:
    with pytest.raises(UserFault, match="must not contain a NUL character"):
        write("theme = 'nord'\n", {"command": "a\0b"})
    assert own_file().read_text() == "theme = 'nord'\n"


@given(texts, st.lists(texts, max_size=3), st.dictionaries(texts, texts, max_size=2))
def test_what_is_written_is_what_was_meant(command: str, args: list[str], env: dict[str, str]) -> None:
    values: dict[str, Value] = {"command": command, "args": args, "env": env}
    said: Any = tomllib.loads("\n".join(table_lines(("agents", "a b"), values)))
    assert said == {"agents": {"a b": values}}


def test_a_path_is_written_as_it_is(tmp_path: Path) -> None:
    odd = str(tmp_path / 'a "b"\\c\x7f')
    assert tomllib.loads(write("", {"command": odd}))["agents"]["x"]["command"] == odd
