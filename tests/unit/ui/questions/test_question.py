"""What the panel asks before a session: its words, by what is done to the session."""

from acp_tui.protocol.base import read
from acp_tui.protocol.vocabulary.elicitation import ElicitationSchema
from acp_tui.session.facts import InputOptions
from acp_tui.ui.questions.question import hints, question_before_session
from tests.rows import each_of


@each_of(
    ("way", "word"), [("new", "start"), ("load", "load"), ("resume", "resume"), ("fork", "fork"), ("odd", "start")]
)
def test_the_words_say_what_is_done_to_the_session(way: str, word: str) -> None:
    schema = read(ElicitationSchema, {"properties": {"model": {"type": "string"}}})
    question = question_before_session(InputOptions(schema, way=way))
    assert [button.label for button in question.buttons(reviewing=False)] == [f"{word.title()} session", "Skip"]
    assert hints(question, 100, reviewing=False).plain == f"tab next  enter next/{word}  ^R {word}  esc skip"
