"""The boundary of the fast start: the only place where an import waits for its first use.

A start is arguments, the agent's process, Textual and a first frame; what only later frames or some sessions need is
named in `LATE`. Every other import stands at the top of its file.
"""

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

LATE: dict[str, str] = {  # module: why it waits
    "markdown_it": "no text is drawn in the first frame (40 ms)",
    "pygments.lexers": "nor is code",
    "acp_tui.ui.deferred_parts": "panels and actions come after the first frame, loaded in a thread",
    "acp_tui.ui.entries.drawings": "no entry is drawn in a new session until a prompt is written",
    "acp_tui.ui.terminal.terminal_driver": "termios: not every system has it",
    "acp_tui.ui.prompt.vim_keyboard": "few edit with vim's keys",
    "platformdirs": "what takes snapshots is a process with the standard library only, and uses the files beside it",
    "html": "its 2,231 names of characters (0.35 MB); few agents answer with a page",
    "_hashlib": "OpenSSL (3.5 MB), for ids that Git gives to files",
    "ctypes": "not every Python has it",
    "pyperclip": "it looks for programs; only what is copied needs it",
    "acp_tui.ui.sessions.record_search": "opened by a command, not each session (6 ms)",
    "acp_tui.ui.sessions.usage_panel": "a panel that few look at, which has the panels of text below it",
    "acp_tui.ui.inspector_screen": "opened by a command, not each session (12 ms)",
    "acp_tui.ui.changes.changes_screen": "the same",
    "acp_tui.ui.settings_screen": "the same",
    "acp_tui.ui.rules_screen": "the same",
    "acp_tui.ui.command_palette": "the same",
    "acp_tui.ui.sessions.browser": "the same",
    "acp_tui.ui.branches.tree_screen": "the same",
    "acp_tui.ui.sessions.subagents_screen": "few sessions have subagents",
    "acp_tui.ui.sessions.board_screen": "opened by a command, not each session",
    "acp_tui.ui.sessions.past_session_actions": "records of other sessions are read by a command",
    "acp_tui.ui.branches.rewind_panel": "the same",
    "acp_tui.ui.undo.undo_panel": "nothing has been changed yet that could be taken back",
    "acp_tui.session.folds.table": "folds know every word of the protocol; nothing has happened in a new session",
    "acp_tui.session.folds.file_changes": "the same",
    "acp_tui.session.folds.messages": "the same, where a prompt comes back from the queue",
    "acp_tui.session.tools.subject": "nor is there work to be named (pydantic)",
    "acp_tui.host.connection.agent_process": "asyncio; it is needed early only where a start is given up",
    "acp_tui.compose": "Textual; the agent's process is started before it",
    "acp_tui.ui.agents.agents_screen": "for those who name no agent, or want another one (pydantic)",
    "acp_tui.ui.sessions.replay_screen": "for replay only",
    "acp_tui.host.wire_replay": "the same",
    "acp_tui.ui.commands.key_table": "for `config --print`: the names of keys are Textual's",
    "acp_tui.host.records.records": "loaded in a thread after the first frame, with every word of the protocol",
    "acp_tui.host.records.index": "SQLite (15 ms, 2 MB); few records are read from their files in that time",
    "acp_tui.cli": "garbage is not looked for while it is imported",
    "acp_tui.arguments.suggestions": "difflib: for mistakes, and for Tab in a shell",
    "acp_tui.demo.project": "tempfile, for --demo only",
    "acp_tui.host.catalog.mcp_file": "it reads what --mcp names",
    "acp_tui.host.catalog.launch_settings": "for those who have settings for a folder or a system prompt (pydantic)",
    "acp_tui.headless.lists": "a front end without a screen: pydantic",
    "acp_tui.headless.agent_commands": "the same, with all that serves an agent",
    "acp_tui.headless.snapshot_commands": "the same, with all that compares snapshots",
    "acp_tui.headless.run": "the same, with all that serves an agent",
    "acp_tui.headless.run_snapshots": "the same",
    "acp_tui.host.config.log": "logging; a front end opens it, or a mistake of ours that ends this program",
    "acp_tui.host.system.process_tree": "anyio; what is left running is looked for at the end",
    "acp_tui.host.catalog.agent_list": "pydantic: an agent that is named by its command needs no list",
    "acp_tui.host.catalog.resume_commands": "records, with every word of the protocol: for --continue, and at the end",
    "acp_tui.host.catalog.download": "20 ms that only those pay who fetch a registry",
    "acp_tui.host.records.wire_record": "json and base64: for --record and replay only",
    "acp_tui.host.agent.connected_agent": "it needs the connection and every word of the protocol (264 ms)",
    "acp_tui.host.agent.agent_services": "so do conversations, log-ins and the agent's list of sessions",
    "acp_tui.protocol.v2.dialect": "few agents speak it (5 ms)",
    "acp_tui.protocol.vocabulary.content": "pydantic; a draft seldom has a picture",
    "PIL.Image": "most sessions have no picture",
    "acp_tui.host.config.config_writer": "settings and presets are seldom written (it loads the next, 0.3 MB)",
    "acp_tui.host.config.settings": "pydantic and tomllib: most users have no config file",
    "tomlkit": "the config file is seldom written",
    "acp_tui.protocol.base": "pydantic",
    "acp_tui.session.export": "a session is seldom exported",
    "acp_tui.host.rules.rule_book": "nothing is asked yet that rules could answer",
    "acp_tui.host.rules.rule_offers": "the same",
    "acp_tui.host.rules.request_claim": "the same",
    "acp_tui.host.rules.request_history": "the same",
    "acp_tui.session.text.secret_masking": "its expressions take 6 ms; a start shows no secret",
    "acp_tui.ui.render.markdown": "hardly a plan above the status line is Markdown",
    "acp_tui.ui.render.text_splitter": "the same (its expressions: 2 ms)",
}


@cache
def late(module: str) -> ModuleType:
    """Import a module of `LATE`, the first time; `KeyError` where it is not named there."""
    LATE[module]
    gc.disable()  # nothing that is imported is garbage: 8 of the 50 ms before the agent's process is started
    try:
        return import_module(module)
    finally:
        gc.freeze()  # or all of it is looked through at once (7 ms)
        gc.enable()


def modules_beside(module: str) -> list[ModuleType]:
    """All modules of the same room, imported: what is new there need not be named in a table."""
    room = module.rpartition(".")[0]
    names = sorted(os.listdir(sys.modules[room].__path__[0]))  # noqa: PTH208 (pathlib is not loaded at the start)
    return [import_module(f"{room}.{name[:-3]}") for name in names if name.endswith(".py") and name != "__init__.py"]


@contextmanager
def textual_settings() -> Iterator[None]:
    """What Textual reads from the environment while it is imported, and agents and their commands must not inherit.

    120 frames a second halve what a key waits for its frame; textual-speedups gained nothing that could be measured.
    """
    ours = {"TEXTUAL_FPS": os.environ.get("TEXTUAL_FPS", "120"), "TEXTUAL_SPEEDUPS": "0"}
    before = {name: os.environ.get(name) for name in ours}
    os.environ.update(ours)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _use_utf8() -> None:
    """Begin anew in Python's UTF-8 mode where the locale says otherwise (20 ms).

    Terminals, files and arguments are UTF-8 whatever `LANG` says, and Python has decoded the arguments before anyone is
    asked. An option, and no variable: agents would inherit that.
    """
    if sys.getfilesystemencoding() != "utf-8" and os.name == "posix" and sys.executable:
        with suppress(OSError):
            os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606 (this program)


_PLUGINS = ModuleType("pydantic.plugin._loader")
"""In place of what looks for pydantic's plugins in all that is installed, with zipfile and email (1.7 MB).

Its own way to have none (PYDANTIC_DISABLE_PLUGINS) loads all that, and agents would inherit it. Where a newer pydantic
has another module for it, this one does nothing.
"""
vars(_PLUGINS)["get_plugins"] = tuple


class _LateTls(ModuleType):
    """In place of `ssl` until something of it is used (8 ms, 1.5 MB).

    asyncio and anyio look at three of its names while they are imported, and are never asked for TLS. What fetches a
    registry is: it gets the real module, or its names by this one.
    """

    SSLContext = SSLSyscallError = SSLWantReadError = type("Tls", (OSError,), {})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what the import system looks for
            raise AttributeError(name)
        if sys.modules[self.__name__] is self:
            del sys.modules[self.__name__]
        real = import_module(self.__name__)
        vars(self).update(vars(real))
        return getattr(real, name)


def _hash_by_python() -> None:
    """Import `hashlib` without OpenSSL (3.5 MB), where this Python has all hashes of its own.

    Files are known by BLAKE2, which is never OpenSSL's. SHA is slower so: whoever reads files with it takes `_hashlib`.
    """
    own = ("_md5", "_sha1", "_sha3", *(("_sha2",) if sys.version_info >= (3, 12) else ("_sha256", "_sha512")))
    with suppress(ImportError):
        for module in own:
            import_module(module)
        sys.modules["_hashlib"] = None  # type: ignore[assignment]  # Python's way to say that there is none
        try:
            import_module("hmac")  # or pydantic does, by `secrets`
        finally:
            del sys.modules["_hashlib"]


def stand_in() -> None:
    """Put in their places what the libraries look for while they are imported, and no session needs."""
    sys.modules[_PLUGINS.__name__] = _PLUGINS
    if "_ssl" not in sys.modules:
        sys.modules["ssl"] = _LateTls("ssl")
    if "_hashlib" not in sys.modules:
        _hash_by_python()


def main() -> int:
    """The console script; see `cli.main`."""
    _use_utf8()
    stand_in()
    code: int = late("acp_tui.cli").main()
    return code
