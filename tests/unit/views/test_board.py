"""The board in words: which row stands in which section, in which order, and the counts that others carry."""

from acp_tui.host.client import Login
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.initialization import AuthMethod
from acp_tui.protocol.vocabulary.session_updates import MessageUpdate, StateUpdate
from acp_tui.session.facts import FilesChanged, TurnNumbered
from acp_tui.session.state import Session
from acp_tui.views.board import Counts, OpenSession, TabLabel, label_of, rows_of, total_of, words_of
from acp_tui.views.permissions import identical_to
from tests.pilot.fake_client import FakeClient, ask_permission, end_turn, say


class Clocks:
    """Sessions of one client on one clock, which a test sets."""

    def __init__(self) -> None:
        self.client, self.now = FakeClient(), 100.0
        self.opened: list[OpenSession] = []

    def open(self, name: str, *, seen: bool = True) -> Session:
        session = self.client.open_session()
        session.clock = lambda: self.now
        self.opened.append(OpenSession(len(self.opened) + 1, name, self.client, session, seen))
        return session

    def told(self) -> list[tuple[str, ...]]:
        """Section, who, what and when of each row."""
        return [(row.section, *words_of(row)[2:]) for row in rows_of(self.opened)]


def run(session: Session, words: str = "go") -> None:
    session.apply(MessageUpdate(session_update="user_message", message_id="u", content=[TextContent(text=words)]))
    session.apply(StateUpdate(state="running"))


def test_questions_of_all_sessions_stand_in_the_order_of_their_times() -> None:
    clocks = Clocks()
    late, early = clocks.open("late"), clocks.open("early")
    ask_permission(early, 1, "Write a.py")
    clocks.now = 160.0
    ask_permission(late, 1, "Write b.py")
    ask_permission(early, 2, "Write c.py")
    clocks.now = 165.0
    assert [(who, when) for _, who, _, when in clocks.told()] == [
        ("early", "1 min 05 s"),
        ("late", "5 s"),
        ("early", "5 s"),
    ]


def test_sections_follow_each_other_and_what_is_seen_is_idle() -> None:
    clocks = Clocks()
    idle, working = clocks.open("idle"), clocks.open("working")
    done, asking = clocks.open("done", seen=False), clocks.open("asking")
    for session in (idle, working, done):
        run(session)
    for session in (idle, done):
        say(session, "First line.\n\nAll **tests** pass.")
        end_turn(session)
    ask_permission(asking)
    clocks.now = 112.0
    assert clocks.told() == [
        ("needs", "asking", "Edit login.py", "12 s"),
        ("finished", "done", "All tests pass.", "12 s ago"),
        ("working", "working", "No output for 12 s", ""),
        ("idle", "idle", "OpenCode", ""),
    ]


def test_what_has_finished_names_the_files_that_it_changed() -> None:
    clocks = Clocks()
    session = clocks.open("done", seen=False)
    run(session)
    session.apply(TurnNumbered(1))
    say(session, "Done.")
    end_turn(session)
    session.apply(FilesChanged(1, files=2, added=12, removed=3))
    assert clocks.told()[0][2] == "Done. · 2 files +12 −3"


def test_a_turn_that_failed_unseen_says_so() -> None:
    clocks = Clocks()
    session = clocks.open("failed", seen=False)
    run(session)
    end_turn(session, "error")
    assert clocks.told()[0][:3] == ("finished", "failed", "Turn failed")


def test_what_an_agent_writes_is_one_line_without_escapes() -> None:
    clocks = Clocks()
    session = clocks.open("s")
    ask_permission(session, 1, "rm\n\x1b[31m -rf\u202e")
    what = clocks.told()[0][2]
    assert not set("\n\x1b\u202e") & set(what)


def test_counts_are_those_of_all_tabs() -> None:
    clocks = Clocks()
    one, two = clocks.open("one"), clocks.open("two", seen=False)
    ask_permission(one, 1)
    ask_permission(one, 2)
    run(two)
    end_turn(two)
    labels = [label_of(each, current=False) for each in clocks.opened]
    assert [label.counts for label in labels] == [Counts(2, 0), Counts(0, 1)]
    assert total_of(labels).words == "△ 2 ● 1"
    assert total_of([TabLabel(1, "quiet")]).words == ""


def test_the_same_row_stands_for_its_question_wherever_it_is() -> None:
    clocks = Clocks()
    session = clocks.open("s")
    ask_permission(session, 1)
    ask_permission(session, 2)
    first, second = rows_of(clocks.opened)
    assert first.stands_for(rows_of(clocks.opened)[0])
    assert not first.stands_for(second)


def test_identical_is_what_agrees_in_all_that_is_asked() -> None:
    session = Session("s1", "/home/someone/project")
    for key, title in enumerate(("Write login.py", "Write login.py", "Write other.py", "Write login.py"), 1):
        ask_permission(session, key, title)
    fewer = session.permissions[3].request
    session.permissions[3].request = fewer.model_copy(update={"options": fewer.options[:2]})
    first = session.permissions[0]
    assert [each.key for each in identical_to(first, session)] == [1, 2]
    assert [each.key for each in identical_to(session.permissions[2], session)] == [3]
    session.index.tool_calls["t2"].raw_input = {"force": True}
    assert [each.key for each in identical_to(first, session)] == [1]


def test_a_login_stands_alone_but_for_what_the_agent_asks_while_it_is_tried() -> None:
    clocks = Clocks()
    ask_permission(clocks.open("one"), 1, "Write a.py")
    ways = (AuthMethod(method_id="browser", name="Browser"),)
    for trying, what in (("", "Log in"), ("browser", "Edit login.py (Write a.py)")):
        clocks.client._lifecycle.ask_login(Login(ways, "Who are you?", trying=trying))
        assert [words for _, _, words, _ in clocks.told()] == [what]
