"""Whose a replayed message is: what agents put among the user's messages, and what they make of a prompt."""

from acp_tui.session.text.mentions import OwnPrompts, beginning_of, begins_with_tag, is_tag_block
from tests.rows import each_of
from tests.unit.session.speech import idle, prompt, running, say, told, user


@each_of(
    ("text", "is_block"),
    [
        ("<system-reminder>\nIt is Friday.\n</system-reminder>", True),
        ("  <a>1</a>\n<b x='1'>2</b> ", True),
        ("<a><a>nested</a></a>", True),
        ("<a>tells of <a> too</a>", True),
        ("<a>1</a> fix it <a>2</a>", False),
        ("<session_context>\nif a < b: <T> is fine\n</session_context>", True),
        ("<a></a>", True),
        ("", False),
        ("hello <a>1</a>", False),
        ("<a>1</a> hello", False),
        ("<a>1</a> and <b>2</b>", False),
        ("<a>never closed", False),
        ("<T> is a type", False),
        ("a < b > c", False),
        ("</a>", False),
        ("<a>", False),
        ("<a" * 50_000, False),
        ("<a>" * 50_000, False),
        ("<a></a>" * 20_000 + "x", False),
    ],
)
def test_a_block_of_tags_and_nothing_else(text: str, is_block: bool) -> None:
    assert is_tag_block(text) is is_block


@each_of(
    ("sent", "told_again", "known"),
    [
        ("fix it", "fix it", True),
        ("fix it\n\nplease", " fix it please\n", True),
        ("fix it", "Context: now\n\nfix it", True),
        ("fix it", "fix it\n<file>…</file>", True),
        ("look at\nthis", "this", True),
        ("fix it", "<a>1</a>\nfix it\n<a>2</a>", True),
        ("fix it", f"Files: {'x ' * 100_000}\n\nfix it", True),
        (f"a {'long ' * 20}prompt", f"{'x ' * 100_000} a {'long ' * 20}prompt", True),
        (f"a {'long ' * 20}prompt", f"before it a {'long ' * 20}prompt and after it", True),
        ("x" * 5_000 + "!", "x" * 5_000 + "!", True),
        ("fix it", "[Request interrupted by user]", False),
        ("yes", "do not say yes to this", False),
        ("fix it", "", True),
        ("", "anything", False),
    ],
)
def test_a_prompt_is_known_again_as_agents_tell_it(sent: str, told_again: str, known: bool) -> None:
    assert OwnPrompts([beginning_of(sent)]).knows(told_again) is known


@each_of(("text", "begins"), [("<a b>", True), (" <a-b>x", True), ("a <b>", False), ("<1>", False), ("< a>", False)])
def test_what_begins_with_a_tag_is_no_title(text: str, begins: bool) -> None:
    assert begins_with_tag(text) is begins


def test_only_what_was_not_sent_from_here_is_judged() -> None:
    block = "<b>mine</b>"
    one = told()
    one.apply(prompt(block), running(), say("yes"), idle("end_turn"), user(block, "u2"), say("and", "m2"))
    assert [getattr(entry, "role", "") for entry in one.session.entries] == ["user", "agent", "", "injected", "agent"]
    gone = told()
    gone.apply(prompt(block), running(), idle("end_turn"))
    assert next(getattr(entry, "role", "") for entry in gone.session.entries) == "user"
