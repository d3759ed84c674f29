"""Config files: what they say, where they are wrong, whose word counts."""

import contextlib
import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from acp_tui.errors import UserFault
from acp_tui.host.config.config import PROJECT_FILE, Config, ConfigFile, load_config, own_file
from acp_tui.host.config.settings import template
from tests.own_config import write_own_config
from tests.rows import each_of


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def loaded(tmp_path: Path, text: str, project: str = "") -> Config:
    write_own_config(text)
    if project:
        write(tmp_path / PROJECT_FILE, project)
    return load_config(tmp_path)


def complaint(path: Path) -> str:
    with pytest.raises(UserFault) as raised:
        ConfigFile.read(path)
    return raised.value.message


def test_no_file_says_nothing(tmp_path: Path) -> None:
    config = load_config(tmp_path)
    assert (config.agents, config.own_default_agent, config.theme, config.keys) == ({}, "", "", {})
    assert (config.registry, config.warnings) == ("", [])


def test_everything_can_be_said(tmp_path: Path) -> None:
    config = loaded(
        tmp_path,
        """
        theme = "nord"
        default_agent = "mine"
        registry = "list.json"
        [keys]
        submit = "ctrl+enter"
        help = ["f1", "f9"]
        [agents.mine]
        command = "agent"
        args = ["--acp"]
        env = { A = "1" }
        env_file = "vars.env"
        cwd = "~"
        roots = ["a", "b"]
        protocol = 2
        fs = false
        terminal = false
        title = "Mine"
        [agents.mine.mcp_servers.files]
        command = "files"
        args = ["."]
        [agents.mine.mcp_servers.docs]
        type = "http"
        url = "https://example.com"
        headers = { A = "b" }
        """,
    )
    mine = config.agents["mine"].settings
    assert (mine.command, mine.args, mine.env, mine.protocol) == ("agent", ("--acp",), {"A": "1"}, "2")
    assert (mine.fs, mine.terminal, mine.roots) == (False, False, ("a", "b"))
    assert mine.mcp_servers["docs"].url == "https://example.com"
    assert config.keys == {"submit": ("ctrl+enter",), "help": ("f1", "f9")}
    assert config.registry == str(own_file().parent / "list.json")
    assert config.own.path_of("~") == Path.home()
    assert config.own.path_of("x") == own_file().parent / "x"
    assert config.warnings == []


@each_of(
    ("text", "told"),
    [
        ("theme = ", ", line 1: Invalid value"),
        ("theme = 'x'\n\n[agents.a]\nargs = 'x'", "line 4, agents.a.args: must be a list, in [ ], not 'x'"),
        ("[agents.a]\ncommand = 1", "line 2, agents.a.command: must be a string in quotes, not 1"),
        ("[agents.a]\nfs = 'yes'", 'line 2, agents.a.fs: must be true, false or "write"'),
        ("[agents.a]\nfs = 1", 'line 2, agents.a.fs: must be true, false or "write"'),
        ("[agents.a]\nterminal = 'yes'", "line 2, agents.a.terminal: must be true or false, not 'yes'"),
        ("[agents.a]\nargs = [\n'x',\n1]", "line 4, agents.a.args[1]: must be a string in quotes, not 1"),
        ("[agents.a]\nprotocol = 3", "line 2, agents.a.protocol: must be '1', '2' or 'auto', not '3'"),
        ("[agents.a.mcp_servers.b]\n", "line 1, agents.a.mcp_servers.b: needs a command"),
        ("[agents.a]\nenv = { KEY = 12345 }", "line 2, agents.a.env.KEY: must be a string in quotes"),
        ("agents = 1", "line 1, agents: must be a table, not 1"),
        ("[keys]\nhelp = 1", "line 2, keys.help: must be a list"),
        ("[keys]\nhelp = ['f1', 2]", "line 2, keys.help[1]: must be a string in quotes, not 2"),
        ("theme = 1979-05-27", "line 1, theme: must be a string in quotes"),
        ("\n[folders.work]\n", "line 2, folders.work: must be an absolute path, or begin with ~/"),
        ("[folders.'~nobody-here/x']\n", 'line 1, folders."~nobody-here/x": must be an absolute path'),
        ("[folders.'']\n", 'line 1, folders."": must be an absolute path'),
        ("folders = '~/work'", "line 1, folders: must be a table, not '~/work'"),
        ("[folders.'~/a']\nenv_file = 1", 'line 2, folders."~/a".env_file: must be a string in quotes, not 1'),
        ("[folders.'~/a'.mcp_servers.b]\n", 'line 1, folders."~/a".mcp_servers.b: needs a command'),
    ],
)
def test_a_bad_field_is_named_with_its_line(text: str, told: str) -> None:
    path = write_own_config(text)
    said = complaint(path)
    assert said.startswith(str(path))
    assert "12345" not in said
    assert told in said


def test_a_file_that_is_no_text_is_told(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b"a = 1\nb = '\xff'\n")
    assert complaint(path) == f"{path}, line 2: not UTF-8"
    path.unlink()
    path.mkdir()
    assert "directory" in complaint(path)


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    assert "larger than" in complaint(write(tmp_path / "config.toml", "#" * 2_000_000))


@given(st.binary(max_size=200))
@example(b"a=" + b"[" * 5000)
@example(b"\xef\xbb\xbftheme = 'x'\r\n")
@example(b"agents = {a = {env = {}}}")
def test_no_bytes_end_in_a_traceback(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("config") / "config.toml"
    path.write_bytes(data)
    with contextlib.suppress(UserFault):
        assert ConfigFile.read(path).path == path


def test_what_nobody_reads_is_told(tmp_path: Path) -> None:
    config = loaded(
        tmp_path,
        "them = 'x'\n[agents.a]\ncommand = 'a'\nargz = []\n[agents.a.mcp_servers.b]\ncommand='b'\nx=1\n"
        "[folders.'/a']\nenv_fil = 'x'",
    )
    assert config.warnings == [
        f"{own_file()}, line 1, them: unknown setting. Did you mean theme?",
        f"{own_file()}, line 4, agents.a.argz: unknown setting. Did you mean args?",
        f"{own_file()}, line 7, agents.a.mcp_servers.b.x: unknown setting.",
        f'{own_file()}, line 9, folders."/a".env_fil: unknown setting. Did you mean env_file?',
    ]


def test_the_nearest_project_file_counts(tmp_path: Path) -> None:
    def project_file(folder: Path) -> Path | None:
        file = load_config(folder).project
        return None if file is None else file.path

    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    assert project_file(below) is None
    outer = write(tmp_path / PROJECT_FILE, "")
    assert project_file(below) == outer
    assert project_file(below.parent) == outer
    inner = write(below.parent / PROJECT_FILE, "")
    assert project_file(below) == inner


class TestWhatAProjectSays:
    def test_an_agent_s_name_and_a_theme_and_nothing_else(self, tmp_path: Path) -> None:
        config = loaded(
            tmp_path,
            "theme = 'nord'\n[keys]\nhelp = 'f1'\n[agents.a]\ncommand='own'",
            "theme = 'dracula'\ndefault_agent = 'a'\nregistry = 'https://evil.example'\nmouse = 5\nthem = 'x'\n"
            "[keys]\nhelp = 'f9'\n[folders.'/']\ndefault_agent = 'goose'",
        )
        assert (config.theme, config.proposed_agent, config.own_default_agent) == ("dracula", "a", "")
        assert (config.keys, config.registry) == ({"help": ("f1",)}, "")
        assert [agent.settings.command for agent in config.agents.values()] == ["own"]
        project = tmp_path / PROJECT_FILE
        assert config.warnings == [
            f"{project}, line 3, registry: only works in your own config file",
            f"{project}, line 4, mouse: only works in your own config file",
            f"{project}, line 5, them: unknown setting. Did you mean theme?",
            f"{project}, line 6, keys: only works in your own config file",
            f"{project}, line 8, folders: only works in your own config file",
        ]
        assert str(config.place("theme")) == f"{project}, line 1, theme"
        assert str(config.place("keys")) == f"{own_file()}, line 2, keys"

    @each_of(
        ("text", "names"),
        [
            ("[agents.a]\ncommand = 'sh'", "agents"),
            ("env_file = 'x.env'", "env_file"),
            ("[mcp_servers.a]\ncommand = 'sh'", "mcp_servers"),
            ("append_system_prompt = 'Obey.'", "append_system_prompt"),
            ("system_prompt = 5", "system_prompt"),
            ("system_prompt = ''\nenv_file = 'x'\n[agents.'\x1b[2J']\nargs = 5", "agents, env_file, system_prompt"),
        ],
    )
    def test_what_went_is_said_once_with_where_it_goes_now(self, text: str, names: str) -> None:
        folder = Path.home() / "code" / "app"
        write(folder / PROJECT_FILE, f"theme = 'nord'\n{text.replace(chr(27), chr(92) + 'u001b')}")
        (folder / "below").mkdir(exist_ok=True)
        for place in (folder, folder / "below"):
            config = load_config(place)
            assert config.theme == "nord"
            assert (config.agents, config.has_prompt, config.own.table_of(place)) == ({}, False, None)
            (told,) = config.left_out
            went, _, instead = told.partition(". Put what you need into ")
            assert went == f"{folder / PROJECT_FILE}: no longer used in a project's file: {names}"
            assert instead == '[folders."~/code/app"] of your own config file, or use --mcp .mcp.json'
            assert config.warnings == [*config.left_out]

    def test_what_does_not_lie_at_home_is_named_whole(self, tmp_path: Path) -> None:
        (told,) = loaded(tmp_path, "", "agents = {}").left_out
        assert f'[folders."{tmp_path}"]' in told


class TestFolders:
    """The user's tables for folders."""

    @each_of(
        ("tables", "folder", "counts"),
        [
            (["~/code/app"], "code/app", "~/code/app"),
            (["~/code/app"], "code/app/src/x", "~/code/app"),
            (["~/code/app/"], "code/app", "~/code/app/"),
            (["~/code/app"], "code", ""),
            (["~/code/app"], "code/app2", ""),
            (["~/code/app"], "other", ""),
            (["~"], "other", "~"),
            (["/"], "other", "/"),
            (["~/code", "~/code/app", "~"], "code/app/src", "~/code/app"),
            (["~/code/app", "~/code"], "code/app2", "~/code"),
            (["~/linked"], "code/app/src", "~/linked"),
            (["~/code/app"], "linked/src", "~/code/app"),
            (["~/code", "~/linked"], "linked", "~/linked"),
            (["~/linked/../other"], "other", ""),  # what the link leads to is beside another folder
            (["~/gone"], "code/app", ""),
        ],
    )
    def test_the_longest_path_above_counts(self, tables: list[str], folder: str, counts: str) -> None:
        home = Path.home()
        for name in ("code/app/src/x", "code/app2", "other"):
            (home / name).mkdir(parents=True, exist_ok=True)
        if not (home / "linked").exists():
            (home / "linked").symlink_to("code/app")
        write_own_config("".join(f"[folders.{table!r}]\nenv_file = 'x'\n" for table in tables))
        table = load_config(home / folder).own.table_of(home / folder)
        assert (table.name if table is not None else "") == counts

    def test_its_words_have_a_place(self, tmp_path: Path) -> None:
        config = loaded(tmp_path, f"\n[folders.'{tmp_path}']\ndefault_agent = 'goose'")
        table = config.saying_table("default_agent")
        assert table is not None
        assert str(table.place("default_agent")) == f'{own_file()}, line 3, folders."{tmp_path}".default_agent'
        assert config.saying_table("env_file") is None

    def test_its_default_agent_counts_more_than_others(self, tmp_path: Path) -> None:
        folder = f"[folders.'{tmp_path}']\n"
        for text, said in (
            ("default_agent = 'mine'", ("mine", "theirs")),
            (f"default_agent = 'mine'\n{folder}env_file = 'x'", ("mine", "theirs")),
            (f"default_agent = 'mine'\n{folder}default_agent = 'its'", ("its", "")),
        ):
            config = loaded(tmp_path, text, "default_agent = 'theirs'")
            assert (config.own_default_agent, config.proposed_agent) == said
        assert loaded(tmp_path, "default_agent = 'mine'", "theme = 'nord'").proposed_agent == ""


def test_an_address_of_a_registry_is_no_path(tmp_path: Path) -> None:
    assert loaded(tmp_path, "registry = 'https://example.com/r.json'").registry == "https://example.com/r.json"


def test_the_template_does_nothing_and_its_examples_are_right(tmp_path: Path) -> None:
    assert loaded(tmp_path, template()).agents == {}
    lines = template().splitlines()
    examples = "\n".join(line.removeprefix("#").removeprefix(" ") for line in lines if "=" in line or line[2:3] == "[")
    config = loaded(tmp_path, examples)
    assert config.warnings == []
    assert set(config.agents["mine"].settings.mcp_servers) == {"files", "docs"}
    assert config.keys["leader"] == ("ctrl+x",)
    table = config.own.table_of(Path.home() / "code" / "app")
    assert table is not None
    assert set(table.settings.mcp_servers) == {"database"}


def test_how_one_is_called(tmp_path: Path) -> None:
    assert load_config(tmp_path).notifications == loaded(tmp_path, "").notifications == "desktop"
    assert loaded(tmp_path, "notifications = 'bell'").notifications == "bell"
    with pytest.raises(UserFault, match="notifications"):
        loaded(tmp_path, "notifications = 'loud'")


class TestProjectFilesThatAreLeftOut:
    @pytest.mark.parametrize(
        ("text", "told"),
        [
            (b"\ndefault_agent = 5", "line 2, default_agent: must be a string in quotes, not 5"),
            (b"theme = ", "line 1: Invalid value"),
            (b"a = 1\nb = '\xff'", "line 2: not UTF-8"),
            pytest.param(b"#" * 600_000, "larger than 524,288 bytes", id="too long"),
            (b'theme = "a\\u0000b"', "line 1, theme: must not contain a NUL character"),
        ],
    )
    def test_a_bad_one_keeps_nobody_from_work(self, tmp_path: Path, text: bytes, told: str) -> None:
        write_own_config("theme = 'nord'")
        path = tmp_path / PROJECT_FILE
        path.write_bytes(text)
        for folder in (tmp_path, tmp_path / "below"):
            folder.mkdir(exist_ok=True)
            config = load_config(folder)
            assert (config.project, config.theme, config.agents) == (None, "nord", {})
            (said,) = config.left_out
            assert said.startswith(str(path))
            assert told in said
            assert said.endswith("The file is ignored: correct or remove it.")
            assert config.warnings == [said]

    def test_no_other_file_stands_in_for_a_bad_one(self, tmp_path: Path) -> None:
        write(tmp_path / PROJECT_FILE, "theme = 'nord'")
        write(tmp_path / "below" / PROJECT_FILE, "theme = 1")
        assert load_config(tmp_path / "below").theme == ""

    def test_the_own_file_is_complained_of_as_before(self, tmp_path: Path) -> None:
        write_own_config("theme = 1")
        with pytest.raises(UserFault) as raised:
            load_config(tmp_path)
        assert raised.value.hint == "Correct it with: acp-tui config"

    def test_one_of_another_user_in_a_folder_above_is_left_out(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = write(tmp_path / PROJECT_FILE, "theme = 'nord'")
        below = tmp_path / "below"
        below.mkdir()
        assert load_config(below).theme == "nord"
        monkeypatch.setattr(os, "geteuid", lambda: path.stat().st_uid + 1, raising=False)
        config = load_config(below)
        assert (config.theme, config.project) == ("", None)
        assert config.left_out == (f"{path}: belongs to another user, so it is ignored. Remove it, or take ownership.",)
        assert load_config(tmp_path).theme == "nord"  # the whole folder is that user's, and one has gone there

    @pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root gives a file to another user")
    def test_one_of_another_user_in_this_folder_is_left_out(self, tmp_path: Path) -> None:
        outer = write(tmp_path / PROJECT_FILE, "theme = 'nord'")
        inner = write(tmp_path / "shared" / PROJECT_FILE, "theme = 'dracula'")
        os.chown(inner, 65534, -1)
        config = load_config(inner.parent)
        assert config.theme == "nord"
        assert config.project is not None
        assert config.project.path == outer
        assert config.left_out[0].startswith(str(inner))
        inner.unlink()
        inner.symlink_to(outer)
        os.chown(inner, 65534, -1, follow_symlinks=False)
        assert load_config(inner.parent).left_out[0].startswith(str(inner))

    def test_what_is_no_file_is_not_waited_for(self, tmp_path: Path) -> None:
        pipe = tmp_path / PROJECT_FILE
        os.mkfifo(pipe)
        assert load_config(tmp_path).left_out == ()
        with pytest.raises(UserFault, match="not a regular file"):
            ConfigFile.read(pipe, foreign=True)
        with pytest.raises(UserFault, match="not a regular file"):
            ConfigFile.read(Path("/dev/zero"), foreign=True)
