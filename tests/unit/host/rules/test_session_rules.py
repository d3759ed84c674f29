"""The rules of a session: what they answer, offer and preview, for how long, and what is said about it."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.errors import UserFault
from acp_tui.host.config.state_files import config_folder, state_folder
from acp_tui.host.rules import request_history
from acp_tui.host.rules.request_claim import RequestClaim
from acp_tui.host.rules.request_history import RequestHistory, RuleUses
from acp_tui.host.rules.rule import READERS, Rule, RulePolicy
from acp_tui.host.rules.rule_offers import RUNS_PROJECT, Decision
from acp_tui.host.sessions.questions import Questions
from acp_tui.session.entries import NoticeEntry
from acp_tui.session.facts import PendingPermission, PermissionReceived
from tests.examples import SHARING
from tests.rows import each_of
from tests.rule_requests import Asked, exact, files, prefix, running, tool


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    for name in ("src", "other"):
        (folder / name).mkdir(parents=True)
    return folder


def test_every_part_needs_a_rule_or_a_reader(project: Path) -> None:
    asked = Asked(project)
    asked.make(prefix("cargo test"))
    assert [asked.answer(**running(c)) for c in ("cargo test -q", "cargo test | head", "ls")] == [
        "allow_once",
        None,
        None,
    ]
    asked.make(readers=True)
    assert [asked.answer(**running(c)) for c in ("cargo test | head", "ls", "rm x")] == [
        "allow_once",
        "allow_once",
        None,
    ]
    asked.rules.turn_off([READERS])
    assert asked.answer(**running("ls")) is None


def test_one_rule_that_rejects_a_part_rejects_the_whole(project: Path) -> None:
    asked = Asked(project)
    asked.make(prefix("cargo test"), prefix("git push", verdict="reject"))
    assert asked.answer(**running("cargo test && git push -f")) == "reject_once"
    assert asked.answer(**running("git push x | tee log")) == "reject_once"
    assert asked.answer(**running("git push"), kinds=("allow_once",)) is None
    assert asked.with_policy(RulePolicy(everything=True)).answer(**running("git push")) == "reject_once"


def test_the_answer_names_its_rules(project: Path) -> None:
    asked = Asked(project)
    rule, other = asked.make(prefix("cargo test"), exact("make", place=str(project), scope="session"), readers=True)
    answer = asked.rules.answer(asked.request(**running("make && cargo test && ls")))
    assert answer is not None
    assert answer.reason == "make (this session), cargo test … (this project), read-only"
    assert answer.rules == (other.id, rule.id, READERS)
    assert [asked.rules.uses()[name][0] for name in (rule.id, other.id)] == [1, 1]


ROWS: list[tuple[Rule, str, bool]] = [
    (exact("make all", place="{}"), "make all", True),
    (exact("make all", place="{}/src"), "make all", False),
    (exact("make all"), "make all", False),
    (exact("make all", place="{}/src"), "cd src && make all", True),
    (exact("echo a"), "echo a b", False),
    (prefix("cargo test"), "cargo test", True),
    (prefix("cargo test", scope="everywhere"), "cargo test", False),
    (prefix("cargo"), "cargo test", False),
    (prefix("cargo test -q"), "cargo test -q x", True),
    (prefix("cargo test -q"), "cargo test", False),
    (exact("python3 -", place="{}"), "ls | python3 -", False),
    (exact("python3 -", place="{}", piped=True), "ls | python3 -", False),  # ls has no rule
    (exact("python3 -", place="{}", piped=True), "python3 -", False),
    (exact("git status", off=True), "git status", True),  # what is made anew is on
]


@each_of(("rule", "command", "answered"), ROWS)
def test_where_a_rule_for_a_command_holds(project: Path, rule: Rule, command: str, answered: bool) -> None:
    asked = Asked(project)
    made = asked.make(replace(rule, place=rule.place.format(project)))
    assert (asked.answer(**running(command)) == "allow_once") == answered
    asked.rules.remove(made[0].id)
    assert asked.answer(**running(command)) is None


def test_the_tests_of_what_is_not_the_projects_are_asked_about(project: Path) -> None:
    (project / "node_modules" / "x").mkdir(parents=True)
    (project / "src" / "link").symlink_to("../node_modules/x")
    asked = Asked(project)
    asked.make(exact("npm test"), prefix("pytest"))
    for command in ("cd node_modules/x && npm test", "cd src/link && pytest -q", "pytest node_modules/x"):
        assert asked.answer(**running(command)) is None
    assert [asked.answer(**running(f"cd src && {each}")) for each in ("npm test", "pytest -q")] == ["allow_once"] * 2


def test_files_are_covered_by_folder_action_and_agent(project: Path) -> None:
    asked = Asked(project)
    asked.make(files(project / "src", "edit"))
    edit = {"kind": "edit", "raw_input": {"file_path": "src/new/a.py"}}
    assert asked.answer(**edit) == "allow_once"
    assert asked.answer(call_id="b", kind="read", raw_input={"file_path": "src/a.py"}) is None
    assert asked.answer(call_id="d", kind="edit", raw_input={"file_path": "other/a.py"}) is None
    assert asked.answer(call_id="e", kind="edit", locations=[{"path": "src/a"}, {"path": "other/a"}]) is None
    stranger = Asked(project)
    stranger.rules.setup = type(stranger.setup)("Codex", stranger.setup.environment, remember=False)
    assert stranger.answer(**edit) is None
    (project / "src").rmdir()
    (project / "src").symlink_to("other")
    assert asked.answer(**edit) is None


def test_a_kind_of_tool_calls_is_allowed_for_the_session_at_most(project: Path) -> None:
    asked = Asked(project)
    (made,) = asked.make(tool("edit"), scope="everywhere")
    assert made.scope == "session"
    edit = {"kind": "edit", "raw_input": {"file_path": "other/a.py"}}
    assert asked.answer(**edit) == "allow_once"
    assert Asked(project).answer(**edit) is None
    asked.rules.turn_off([made.id])
    assert asked.answer(**edit) is None
    asked.rules.turn_on([made.id])
    assert asked.answer(**edit) == "allow_once"
    asked.rules.remove(made.id)
    assert asked.rules.listed() == []


NAMING: list[dict[str, Any]] = [
    {"kind": "read", "raw_input": {"path": "src/a", "url": "https://example.org/?x"}},
    {"kind": "read", "raw_input": {"path": "src", "include": "/etc/**"}},
    {"kind": "read", "raw_input": {"path": "src", "glob": "**/.env"}},
    {"kind": "edit", "raw_input": {"path": "src/a", "glob": "**/*"}},
    {"kind": "edit", "raw_input": {"path": "src", "old_string": "a", "new_string": "b"}},
    {"kind": "edit", "raw_input": {"path": "src/.env", "content": "A=b"}},
    {"kind": "search", "raw_input": {"pattern": "x", "path": ".env"}},
    {"kind": "search", "raw_input": {"pattern": "x", "glob": "prod.env"}},
    {"kind": "search", "raw_input": {"pattern": "x", "glob": "{..,src}/**"}},
    {"kind": "search", "raw_input": {"pattern": "x", "glob": ".{.,x}/**"}},
    {"kind": "search", "raw_input": {"pattern": "x", "glob": ".{,x}./**"}},
    {"kind": "search", "raw_input": {"pattern": "x", "url": "https://example.org"}},
    {"kind": "read", "title": "Read /etc/passwd", "raw_input": {"path": "src/a"}},
    {"kind": "edit", "title": "Edit `~/.bashrc` (1 change)", "raw_input": {"path": "src/a"}},
    {"kind": "read", "title": "Read /etc/passwd"},
    {"kind": "search"}, {"kind": "fetch", "raw_input": {}}, {"kind": "fetch", "raw_input": {"url": "file:///etc/x"}},
]  # fmt: skip


NAMING += [
    {"kind": kind, "raw_input": {"path": path}}
    for kind in ("read", "edit", "search")
    for path in ("~/notes.txt", "~", "~root/x", "src/~/x", "%HOME%/x", "src/a%2e%2e/x", "src/*", "src/?", "file:/etc/x",
                 "git:/etc/x", ":/etc/x", "src/|x", "<x", "!x", "$HOME/x")
]  # fmt: skip
NAMING += [
    {"kind": "fetch", "raw_input": {"url": url}}
    for url in ("http://169.254.169.254/x", "http://localhost:80/", "https://a:b@example.org", "http://x.internal/y",
                "http://2852039166/", "http://[::1]/", "http://example.org/$(x)", "http://a.org http://b.org", "HTTP://x/y")
]  # fmt: skip


@each_of("folder", ["~", "$HOME", " /etc", "file:///etc", "src/none", "%TEMP%"])
def test_no_rule_covers_a_folder_that_tools_may_expand(project: Path, folder: str) -> None:
    asked = Asked(project)
    asked.make(prefix("cargo test"), readers=True)
    for call in (running("ls", cwd=folder), running("cargo test", cwd=folder), running("ls", path="~/x")):
        assert asked.answer(call_id=f"c{len(asked.session.entries)}", **call) is None
    assert asked.answer(call_id="d", **running("ls", cwd="src")) == "allow_once"


@each_of("call", NAMING)
def test_what_no_rule_for_a_kind_answers(project: Path, call: dict[str, Any]) -> None:
    asked = Asked(project)
    asked.make(*map(tool, ("read", "edit", "search", "fetch")), files(project / "src", "edit"))
    assert asked.answer(**call) is None


def test_a_rule_for_a_kind_answers_plain_calls(project: Path) -> None:
    asked = Asked(project)
    asked.make(*map(tool, ("read", "edit", "search", "fetch")))
    for call in (
        {"kind": "read", "title": f"Read {project}/src/a (1 - 20)", "raw_input": {"path": "src/a"}},
        {"kind": "search", "raw_input": {"pattern": "interface{}", "path": "src", "glob": "**/*.{ts,tsx}"}},
        {"kind": "fetch", "raw_input": {"url": "https://docs.example.org:8080/a/b?c=d#e"}},
    ):
        asked.session = type(asked.session)("s", str(project))
        asked.rules._session = asked.session
        assert asked.answer(**call) == "allow_once", call


RULE_NAMES: list[tuple[Rule, str]] = [
    (exact("echo a b"), "echo a b"),
    (replace(exact("x"), words=("echo", "a b")), "echo 'a b'"),
    (replace(exact("x"), words=("echo", "")), "echo ''"),
    (replace(exact("x"), words=("echo", "a", "…")), "echo a '…'"),
    (replace(exact("x"), words=("echo", "a\u202eb")), "echo 'a\ufffdb'"),
    (replace(exact("x"), words=("echo", "a\u200b")), "echo 'a\ufffd'"),
    (replace(exact("x"), words=("echo", "a\u3164")), "echo 'a\ufffd'"),
    (replace(exact("x"), words=("echo", "a\n\x1b[1m`b`")), "echo 'a⏎␛[1m`b`'"),
    (replace(files(Path("/"), "edit"), words=("/a, read-only",)), "edits in '/a, read-only'"),
]


@each_of(("rule", "name"), RULE_NAMES)
def test_a_name_shows_what_the_rule_covers(rule: Rule, name: str) -> None:
    assert rule.name == name


def test_scopes(project: Path, tmp_path: Path) -> None:
    asked, other = Asked(project), Asked(tmp_path)
    asked.make(exact("echo a"), exact("echo b", scope="everywhere"), exact("echo c", scope="session"))
    assert [one.answer(**running(f"echo {x}")) for one in (asked, other) for x in "abc"] == [
        *["allow_once"] * 3, None, "allow_once", None,
    ]  # fmt: skip
    assert [rule.name for rule in other.rules.listed()] == ["echo b"]
    assert [rule.name for rule in asked.rules.listed()] == ["echo c", "echo a", "echo b"]


def test_a_file_that_is_not_usable_answers_nothing_and_each_session_says_so_once(project: Path) -> None:
    asked = Asked(project)
    asked.make(exact("echo a"))
    path = config_folder() / "rules.toml"
    path.write_text(path.read_text() + "\n[[rules]]\nmistake = 1\n")
    assert [asked.answer(**running("echo a")) for _ in range(2)] == [None, None]
    notices = [entry for entry in asked.session.entries if isinstance(entry, NoticeEntry)]
    assert [entry.title for entry in notices] == ["The rules cannot be used"]
    assert "mistake" in asked.offer(**running("echo a")).reason
    assert not asked.rules.readers
    with pytest.raises(UserFault, match=r"line 11, rules\[1\].mistake"):
        asked.rules.listed()


def test_rules_of_another_file_are_for_the_project_at_hand_and_read_only(project: Path, tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_text("[[rules]]\nallow = 'cargo test'\nmore = true\n")
    Asked(project).make(exact("echo a"))
    asked = Asked(project, policy=RulePolicy(file=str(path)))
    assert [asked.answer(**running(c)) for c in ("cargo test -q", "echo a")] == ["allow_once", None]
    with pytest.raises(UserFault):
        asked.make(exact("echo a"))
    asked.make(exact("echo a", scope="session"))
    assert asked.answer(**running("echo a")) == "allow_once"


def test_without_rules_nothing_is_looked_at(project: Path) -> None:
    asked = Asked(project, policy=RulePolicy(rules=False))
    request = asked.request(**running("ls"))
    asked.rules._scope = None  # type: ignore[assignment]  # which it would need
    assert asked.rules.answer(request) is None
    assert not state_folder().exists()
    assert not config_folder().exists()


def test_an_answer_by_rule_enters_the_session_and_our_own_questions_are_not_asked_of_rules(project: Path) -> None:
    asked = Asked(project)
    asked.make(exact("echo a"))
    questions, replies = Questions(asked.session, asked.rules.answer), list[Any]()
    questions.ask(7, asked.request(**running("echo a")), replies.append)
    assert replies == ["allow_once-0"]
    assert asked.session.index.tool_calls["c"].rule_reason == "echo a (this project)"
    questions.ask(None, asked.request(**running("echo a")), replies.append)
    assert len(asked.session.permissions) == 1


def test_the_offer_has_a_row_for_each_part_that_no_rule_covers(project: Path) -> None:
    asked = Asked(project)
    asked.make(exact("echo a"))
    offer = asked.offer(**running("echo a && cargo test -q && make all && ls && ls | sort"))
    rows = [([choice.name for choice in row.choices], row.note) for row in offer.rows]
    assert rows == [
        (["cargo test …", "cargo test -q"], RUNS_PROJECT),
        (["make all"], ""),
        (["ls"], READERS),
        (["sort"], READERS),
    ]
    assert offer.rows[1].choices[0].place == str(project)
    assert [row.choices[0].piped for row in offer.rows] == [False, False, False, True]
    assert offer.readers
    asked.make(*(row.choices[0] for row in offer.rows))
    assert asked.answer(**running("echo a && cargo test -q && make all && ls && ls | sort")) == "allow_once"


REASONS: list[tuple[dict[str, Any], str]] = [
    (running("echo $HOME"), "variable"), (running("curl -H 'Authorization: Bearer abcdef0123456789x'"), "a secret"),
    (running("ls", strange=1), "strange"), ({"kind": "delete", "locations": [{"path": "a"}]}, "unsupported"),
    ({"kind": "edit", "locations": [{"path": "/etc/passwd"}]}, "outside"),
    ({"kind": "switch_mode"}, "only you can answer"),
    ({"kind": "edit", "locations": [{"path": ".git/config"}]}, ".git"), ({"kind": "edit"}, "no file"),
]  # fmt: skip


@each_of(("call", "reason"), REASONS)
def test_where_no_rule_is_possible_the_offer_says_why(project: Path, call: dict[str, Any], reason: str) -> None:
    offer = Asked(project).offer(**call)
    assert offer.rows == ()
    assert reason in offer.reason


def test_what_is_offered_for_files(project: Path) -> None:
    asked = Asked(project)
    (row,) = asked.offer(kind="edit", locations=[{"path": "src/a.py"}]).rows
    assert [each.name for each in row.choices] == [
        "edits in src", "edits in this project", "every edit",
    ]  # fmt: skip
    (row,) = asked.offer(call_id="d", kind="fetch", raw_input={"url": "https://example.org"}).rows
    assert [each.name for each in row.choices] == ["every fetch"]


def test_a_preview_counts_what_was_seen(project: Path) -> None:
    asked = Asked(project)
    for command in ("cargo test a", "rm x", "cargo test b", "ls", "echo $x", "cargo test b"):
        asked.answer(**running(command))
    pending = PendingPermission(1, asked.request(**running("cargo test b")))
    preview = asked.rules.preview(pending, [prefix("cargo test")], readers=False)
    assert (preview.seen, preview.answered, preview.everything) == (5, ("cargo test a", "cargo test b"), False)
    assert asked.rules.preview(pending, [prefix("cargo test")], readers=True).answered[-1] == "ls"
    asked.answer(**running("ls &&\npwd"))
    assert asked.rules.preview(pending, [], readers=True).answered[-1] == "ls && ⏎ pwd"
    assert asked.rules.preview(pending, [tool("edit")], readers=False).everything
    other = Asked(project / "src")
    for _ in range(6):
        other.answer(**running("cargo test"))
    pending = PendingPermission(1, other.request(**running("cargo test")))
    assert other.rules.preview(pending, [prefix("cargo test")], readers=False).everything


def test_neither_what_is_being_answered_nor_what_waits_counts_as_earlier(project: Path) -> None:
    asked = Asked(project)
    for at, command in enumerate(("cargo test", "cargo test", "cargo test", "ls")):
        request = asked.request(call_id=f"c{at}", **running(command))
        asked.rules.answer(request)
        if at:
            asked.session.apply(PermissionReceived(at, request))
    first, *_ = asked.session.permissions
    preview = asked.rules.preview(first, [prefix("cargo test")], readers=True)
    assert (preview.seen, preview.answered) == (1, ("cargo test",))
    alone = Asked(project / "src")
    request = alone.request(**running("cargo test"))
    alone.rules.answer(request)
    assert alone.rules.preview(PendingPermission(1, request), [prefix("cargo test")], readers=False).seen == 0


WORDS = "ls|cat src|cargo test|cargo test -q|cargo build|make|git status|echo a|rm x|sort|head -n 3"
PARTS = st.sampled_from(WORDS.split("|"))
COMMANDS = st.lists(PARTS, min_size=1, max_size=3).flatmap(
    lambda parts: st.sampled_from([" && ", " | ", "; "]).map(lambda sign: sign.join(parts))
)
CALLS = COMMANDS.map(running) | st.tuples(st.sampled_from(["edit", "read"]), st.sampled_from(["src/a", "b", "/x"])).map(
    lambda row: {"kind": row[0], "raw_input": {"file_path": row[1]}}
)
RULES = st.builds(
    lambda words, made, verdict, scope, piped: made(words, verdict=verdict, scope=scope, piped=piped),
    PARTS,
    st.sampled_from([exact, prefix]),
    st.sampled_from(["allow", "allow", "reject"]),
    st.sampled_from(["session", "project"]),
    st.booleans(),
)
KINDS = st.lists(st.sampled_from(["allow_once", "allow_always", "reject_once", "reject_always", "new"]), max_size=4)


@SHARING
@given(st.lists(CALLS, min_size=1, max_size=4), st.lists(RULES, max_size=6), st.booleans(), KINDS, st.booleans())
def test_no_rule_answers_what_its_own_preview_would_not_have_listed(
    project: Path, calls: list[dict[str, Any]], rules: list[Rule], readers: bool, kinds: list[str], everything: bool
) -> None:
    request_history._history.cache_clear()
    asked = Asked(project, policy=RulePolicy(everything=everything))
    for rule in asked.rules.listed():
        asked.rules.remove(rule.id)
    asked.rules.turn_off([READERS])
    made = asked.make(*rules, files(project / "src", "edit", scope="session"), readers=readers)
    by_id = {rule.id: rule for rule in made}
    for at, call in enumerate(calls):
        request = asked.request(kinds=kinds, call_id=f"c{at}", **call)
        answer = asked.rules.answer(request)
        if answer is None:
            continue
        (chosen,) = (option for option in request.options if option.option_id == answer.option_id)
        assert chosen.kind == f"{answer.verdict}_once"
        words = asked.rules._claim(PendingPermission(at, request)).name
        later = PendingPermission(at + 1, asked.request(call_id="later", **running("never-asked before")))
        for name in answer.rules:
            drafts = [by_id[name]] if name in by_id else []
            preview = asked.rules.preview(later, drafts, readers=name == READERS)
            assert name == "everything" or words in preview.answered


def test_requests_are_remembered_by_project_without_secrets_and_within_bounds(project: Path) -> None:
    asked = Asked(project, remember=True)
    asked.answer(**running("ls"))
    asked.answer(**running("curl --token abc123def456 x.org"))
    asked.answer(**running("echo " + "a" * 9_000))
    (path,) = (state_folder() / "rules").glob("project-*.json")
    assert [each["command"] for each in json.loads(path.read_text())] == ["ls"]
    request_history._history.cache_clear()
    again = Asked(project, remember=True)
    pending = PendingPermission(1, again.request(**running("pwd")))
    assert again.rules.preview(pending, [], readers=True).answered == ("ls",)


def test_a_damaged_history_is_as_none_and_what_others_wrote_stays(tmp_path: Path) -> None:
    path = tmp_path / "history.json"
    for text in ("{}", "[3]", '[{"agent": 3}]', '[{"agent": "a", "kind": "b", "folder": "c", "roots": "d"}]', "["):
        path.write_text(text)
        assert list(RequestHistory(path).claims) == []
    uses = tmp_path / "uses.json"
    one, other = RuleUses(uses), RuleUses(uses)
    one.count(["a"], 1.0)
    other.count(["a", "b"], 2.0)
    one.count(["a"], 3.0, clock=lambda: one._written_at)
    assert json.loads(uses.read_text()) == {"a": [2, 2.0], "b": [1, 2.0]}
    assert one.all() == {"a": (3, 3.0), "b": (1, 2.0)}


@each_of(
    ("kind", "status", "mode"),
    [("permission-rule", "failed", True), ("user-rejected", "failed", False), ("permission-rule", "pending", False)],
)
def test_what_the_agent_itself_has_denied_is_offered_its_mode(
    project: Path, kind: str, status: str, mode: bool
) -> None:
    meta = {"claudeCode": {"nonExecutionKind": kind}}
    asked = Asked(project)
    assert asked.offer(**running("cargo test"), status=status, _meta=meta).mode is mode


def test_what_names_no_program_of_a_draft_is_not_judged_for_its_preview(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Asked(project)
    for command in ("cargo test a", "ls", "git log", "'cargo' test", "cargo test a"):
        asked.answer(**running(command))
    pending = PendingPermission(1, asked.request(**running("cargo test a")))
    judged = list[str]()
    before = asked.rules._decision

    def decision(claim: RequestClaim, rules: Sequence[Rule], *, readers: bool) -> Decision | None:
        judged.append(claim.name)
        return before(claim, rules, readers=readers)

    monkeypatch.setattr(asked.rules, "_decision", decision)
    preview = asked.rules.preview(pending, [prefix("cargo test")], readers=False)
    assert judged == ["cargo test a", "'cargo' test"]
    assert preview.seen == 4
