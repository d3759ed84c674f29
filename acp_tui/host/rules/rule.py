"""A rule of the user: which requests it answers, where, and how."""

import shlex
from typing import Literal

from acp_tui.frozen import Frozen
from acp_tui.host.rules.command_chain import CommandEnvironment
from acp_tui.safe_text import named

Scope = Literal["session", "project", "everywhere"]
RuleKind = Literal["exact", "prefix", "folder", "tool"]
Verdict = Literal["allow", "reject"]

SCOPE_NAMES: dict[Scope, str] = {"session": "this session", "project": "this project", "everywhere": "everywhere"}

_DONE = {"edit": "edits", "read": "reads"}  # in a folder


class Rule(Frozen):
    """One rule, by its `id` in the file.

    `exact` and `prefix` have the `words` of one simple command (a prefix holds with further words), `folder` one
    absolute path and the kind of tool calls that is its `action` (read, edit), `tool` one kind of tool calls. `piped`:
    made for a program behind a pipe. `place` is the folder that an exact rule of a program that runs others holds in,
    else empty. `project` is the main checkout or real folder it belongs to, for the scope of that name. `agent` is the
    one that a folder or tool rule was made for. `made_at` is in
    seconds since the epoch. A rule that is `off` answers nothing.
    """

    id: str
    verdict: Verdict
    kind: RuleKind
    words: tuple[str, ...]
    scope: Scope = "project"
    project: str = ""
    place: str = ""
    agent: str = ""
    piped: bool = False
    off: bool = False
    made_at: float = 0.0
    action: str = ""

    @property
    def name(self) -> str:
        """Its words on one line, quoted where not plain, with signs for the invisible: `cargo test …`, `every edit`."""
        text = shlex.join(self.words)
        shown = {
            "exact": text,
            "prefix": f"{text} …",
            "folder": f"{_DONE.get(self.action, 'files')} in {self._place(self.words[0])}",
            "tool": f"every {text}",
        }
        return named(shown[self.kind])

    def _place(self, folder: str) -> str:
        """A folder as it is called: by its way from the project, if it is in that."""
        if self.project and folder == self.project:
            return "this project"
        return shlex.quote(folder.removeprefix(f"{self.project}/") if self.project else folder)


class RulePolicy(Frozen):
    """Which rules answer in a run of the program: the user's (`rules`), or those of another `file`; or `everything` is
    allowed, once each (`--yolo`). With neither every request is asked.
    """

    rules: bool = True
    everything: bool = False
    file: str = ""


class RuleSetup(Frozen):
    """What the rules of all sessions of one client share.

    `agent` names it in rules that hold for one agent. `remember`: requests that are seen may be written down.
    """

    agent: str
    environment: CommandEnvironment
    policy: RulePolicy = RulePolicy()
    remember: bool = True


NO_RULES = RuleSetup("", CommandEnvironment(), RulePolicy(rules=False), remember=False)
"""For who plays a conversation again, and for scripts: every request is asked."""


READERS = "read-only"
"""The name of the switch for programs that only read, where a rule's name stands."""
EVERYTHING = "everything"
"""The same of allow-everything."""


class RuleAnswer(Frozen):
    """An answer that rules give: the id of the request's own option for this once, and by which rules.

    `reason` names them with their scopes, as the transcript shows it: `cargo test … (this project)`. `rules` are the
    ids; the switches are READERS and EVERYTHING.
    """

    option_id: str
    verdict: Verdict
    reason: str
    rules: tuple[str, ...]


class OfferedRule(Frozen):
    """A row of an offer: a part of a request that no rule covers, as the rules that could be made for it.

    `choices` are the drafts to choose from (exact, with other arguments, files under a folder, this kind of tool), the
    suggested one first, without ids. `note` is said beside it ("runs this project's code ..."), empty if nothing is.
    """

    choices: tuple[Rule, ...]
    note: str = ""


class RuleOffer(Frozen):
    """What "Don't ask again" can offer for a request: a rule for each part that none covers.

    Without rows `reason` says why no rule is possible: "it has a variable". `readers`: the switch for programs that
    only read is off, and would answer this request or a part of it. `mode`: the agent itself denied this call before it
    asked, which no rule changes; the agent's mode may.
    """

    rows: tuple[OfferedRule, ...] = ()
    reason: str = ""
    readers: bool = False
    mode: bool = False


class RulePreview(Frozen):
    """What drafts would have answered of the `seen` requests, those that were answered before: which, in words.

    `everything`: they would have answered all of at least five that were seen, or any call of a kind that writes:
    asked twice.
    """

    seen: int
    answered: tuple[str, ...]
    everything: bool = False
