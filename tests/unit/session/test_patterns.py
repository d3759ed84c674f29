"""Patterns that agents send: what they match, which are not tried, and that none takes for ever."""

import re

from hypothesis import given
from hypothesis import strategies as st

from acp_tui.session.form_rules import matches
from tests.rows import each_of


@each_of(
    ("pattern", "text", "found"),
    [
        ("^[A-Z]{3}-\\d+$", "ABC-12", True),
        ("^[A-Z]{3}-\\d+$", "ABC-12x", False),
        ("^(feat|fix|chore)(\\([a-z]+\\))?: .+$", "fix(ui): a form", True),
        ("^(feat|fix|chore)(\\([a-z]+\\))?: .+$", "fux: a form", False),
        ("^v?\\d+\\.\\d+\\.\\d+(?:-[\\w.]+)?$", "v1.20.3-rc.1", True),
        ("b+", "aabb", True),
        ("^$", "", True),
        ("^$", "a", False),
        ("a|", "", True),
        ("^(?<year>\\d{4})$", "2026", True),
        ("^\\d+$", "٣", False),  # ECMA-262: digits are ASCII
        ("^\\w+$", "é", False),
        ("^\\s$", "\ufeff", True),
        ("^.$", "\u2028", False),
        ("^[^a-c]+$", "xyz", True),
        ("^[^a-c]+$", "xbz", False),
        ("^[]$", "a", False),
        ("^[^]$", "\n", True),
        ("^[\\d-]+$", "1-2", True),
        ("^[a\\]-]+$", "a]-", True),
        ("^[\\b]$", "\b", True),
        ("^\\x41\\u0042\\/$", "AB/", True),
        ("^a{2,}$", "a", False),
        ("^a{2,}$", "aaaa", True),
        ("^a{1,2}?$", "aaa", False),
        ("^(aab){2}$", "aabaab", True),  # what has no choices may be repeated
        ("^(?:(?:[a-z]{3}-)?\\d)?$", "abc-1", True),
        ("^[[&|~]+$", "[&~", True),
    ],
)
def test_what_is_found(pattern: str, text: str, found: bool) -> None:
    assert matches(pattern, text) is found


@each_of(
    "pattern",
    [
        *("(?=a)", "(?!a)", "(?<=a)", "(?<!a)", "(a)\\1", "\\bword", "\\p{L}", "\\k<a>", "\\u{41}", "\\ud83d"),
        *("(", ")", "[", "[z-a]", "a**", "*", "^*", "a{2,1}", "a{", "a{x}", "a{99999}", "\\", "[\\d-z]", "(?<"),
        *("[\\S ]", "[a--b]", "[ -\\s]"),  # read in another way by Python
        *("^(a+)+$", "^(a|a)*$", "^(a{1,2}b){2}$", "((a|b)c)*", "(a?)*"),  # with choices in what is repeated
        "(" * 500 + "a" + ")" * 499,
    ],
)
def test_what_is_not_tried(pattern: str) -> None:
    assert matches(pattern, "a") is None


@each_of(
    "pattern",
    [
        *("^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "^(.*)*$", "^(([a-z])+.)+[A-Z]([a-z])+$"),
        *("^" + "a*" * 50 + "$", "a*a*a*a*b", "^" + "a?" * 90 + "a" * 90 + "$", "^" + "(a|a)" * 90 + "$"),
        *("(?:)*" * 90 + "b", "^" + "(){999}" * 90 + "$", "^" + "(" * 40 + ")" + "{999})" * 39 + "{999}$"),
        *("a" * 10_000_000, "(" * 480 + ")" * 480),
    ],
)
@each_of("length", [0, 20, 200, 5_000])
def test_patterns_made_to_hang_do_not(pattern: str, length: int) -> None:
    assert matches(pattern, "a" * length + "!") is not True or re.fullmatch(r"\(+\)+", pattern)


def test_what_takes_too_much_work_is_left_by_the_length_of_the_text() -> None:
    address = "^[\\w.+-]+@[\\w-]+(\\.[\\w-]+)?$"
    assert matches(address, "ada.lovelace@analytical-engine.example") is True
    assert matches(address, "ada.lovelace.at.engine") is False
    assert matches(address, "a" * 5_000) is None


simple = st.recursive(
    st.sampled_from(["a", "b", ".", "[ab]", "[^a]", "\\d", "\\."]),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda two: f"(?:{two[0]}|{two[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{2,}"])).map(
            lambda two: f"(?:{two[0]}){two[1]}"
        ),
    ),
    max_leaves=5,
)


@given(simple, st.text("ab1.", max_size=6), st.sampled_from([("", ""), ("^", "$"), ("^", "")]))
def test_simple_patterns_match_as_everywhere(pattern: str, text: str, edges: tuple[str, str]) -> None:
    whole = f"{edges[0]}(?:{pattern}){edges[1]}"
    assert matches(whole, text) in (None, re.search(whole, text) is not None)
