"""Which of several things some words mean."""

from acp_tui.ui.kit.picker import meant_by
from tests.rows import each_of

MODELS = {"sonnet": "Sonnet 5", "opus": "Opus 5", "k3": "Kimi K3", "k3-long": "Kimi K3 Long"}


@each_of(
    ("words", "meant"),
    [
        ("opus", "opus"),
        ("OPUS 5 ", "opus"),
        ("5 opus", "opus"),
        ("son", "sonnet"),
        ("Kimi K3", "k3"),
        ("kimi lo", "k3-long"),
        ("kimi", None),
        ("5", None),
        ("nothing", None),
        ("", None),
        (" ", None),
    ],
)
def test_the_only_one_of_that_name_else_the_only_one_with_these_words_in_it(words: str, meant: str | None) -> None:
    assert meant_by(words, MODELS, lambda model: (model, MODELS[model])) == meant
