"""What a few letters find, and in which order."""

from hypothesis import given
from hypothesis import strategies as st

from acp_tui.views.row_search import SearchIndex, SearchTexts, matching
from tests.rows import each_of

letters = st.text("abA -/é", max_size=8)
items = st.builds(SearchTexts, st.lists(letters, min_size=1, max_size=2), letters, st.lists(letters, max_size=2))
queries = st.text("abA -", min_size=1, max_size=5).filter(str.strip)


def named(*names: str) -> list[SearchTexts]:
    return [SearchTexts((name,)) for name in names]


def found(query: str, texts: list[SearchTexts]) -> list[str]:
    return [each.names[0] for each in SearchIndex(texts, lambda each: each).find(query)]


def in_order(query: str, name: str) -> bool:
    rest = iter(name)
    return all(letter in rest for letter in query)


def test_the_rule_from_the_best_to_the_least() -> None:
    by_rank = [
        SearchTexts(("Pick one", "stop")),
        SearchTexts(("Stop: now",)),
        SearchTexts(("Full stop",)),
        SearchTexts(("Cancel turn",), "abort stop"),
        SearchTexts(("Stopwatch",)),
        SearchTexts(("My stopwatch",)),
        SearchTexts(("End",), "stopping"),
        SearchTexts(("Nonstop",)),
        SearchTexts(("Work",), "", ("what can be stopped",)),
    ]
    assert found("stop", by_rank[::-1]) == [each.names[0] for each in by_rank]


@each_of(
    ("query", "names", "first"),
    [
        ("mini", ("gpt-4o mini", "minimal", "mini", "m-i-n-i"), ["mini", "gpt-4o mini", "minimal"]),
        (
            "change model",
            ("Change model configuration", "Change model"),
            ["Change model", "Change model configuration"],
        ),
        ("model change", ("Model: never change it", "Change model"), ["Model: never change it", "Change model"]),
        ("b a", ("ab", "a", "b"), ["ab"]),
        ("gpt5", ("GPT-5", "gpt-4 5x", "ungpt5"), ["ungpt5"]),
        ("gp5", ("GPT-4.5", "GPT-5", "egp-5"), ["GPT-5", "GPT-4.5"]),
        ("chmo", ("Change model", "Much more"), ["Change model"]),
        ("chmo th", ("Change model of thought", "Change model"), ["Change model of thought"]),
        ("  ", ("b", "a"), ["b", "a"]),
        (
            "the",
            ("Tell the agent", "The plan", "Choose theme", "the"),
            ["the", "Choose theme", "Tell the agent", "The plan"],
        ),
        ("in", ("Jump in", "Inspect"), ["Inspect", "Jump in"]),
        ("of the mo", ("List of the demos", "Model of the year"), ["Model of the year", "List of the demos"]),
    ],
)
def test_what_is_found_first(query: str, names: tuple[str, ...], first: list[str]) -> None:
    assert found(query, named(*names)) == first


def test_fillers_among_other_words_for_something_call_nothing() -> None:
    texts = [SearchTexts(("Tell",), "note the agent"), SearchTexts(("Look",), "theme"), SearchTexts(("Copy",), "path")]
    assert found("the", texts) == ["Look", "Tell"]


def test_the_first_text_of_a_tuple_is_the_name() -> None:
    assert matching("ab", ["xab", "ab", "y"], lambda name: (name, "ab" if name == "y" else "")) == ["ab", "xab", "y"]


@given(queries, st.lists(items, max_size=8))
def test_every_word_answers_and_scattered_letters_only_where_nothing_else_does(
    query: str, texts: list[SearchTexts]
) -> None:
    words = query.lower().split()

    def whole(each: SearchTexts) -> bool:
        told = "\n".join((*each.names, each.also, *each.beside)).lower()
        return all(word in told for word in words)

    def scattered(each: SearchTexts) -> bool:
        names = [name.lower() for name in each.names]
        told = "\n".join((*names, each.also, *each.beside)).lower()
        return all(word in told or any(in_order(word, name) for name in names) for word in words)

    got = SearchIndex(texts, lambda each: each).find(query)
    if any(map(whole, texts)):
        assert sorted(map(id, got)) == sorted(id(each) for each in texts if whole(each))
    else:
        assert all(map(scattered, got))


@given(queries, st.lists(items, max_size=8))
def test_case_does_not_matter_and_what_answers_alike_keeps_its_order(query: str, texts: list[SearchTexts]) -> None:
    twice = [(place, each) for place in range(2) for each in texts]
    got = SearchIndex(twice, lambda pair: pair[1]).find(query)
    assert got == SearchIndex(twice, lambda pair: pair[1]).find(query.upper())
    for each in texts:
        places = [place for place, other in got if other is each]
        assert places == sorted(places)


@given(st.text("ab", min_size=1, max_size=4), st.lists(items, max_size=8), st.integers(0, 8))
def test_what_is_called_so_stands_before_all_else(name: str, texts: list[SearchTexts], place: int) -> None:
    others = [each for each in texts if name not in map(str.lower, each.names)]
    exact = SearchTexts((name,))
    assert SearchIndex([*others[:place], exact, *others[place:]], lambda each: each).find(name)[0] is exact
