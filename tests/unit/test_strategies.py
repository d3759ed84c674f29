"""The random nasty texts of the other tests are nasty: each family of pieces does occur, in enough of them."""

import ast
import re
from collections import Counter
from pathlib import Path

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.rows import each_of
from tests.strategies import FAMILIES, ONE_OF_EACH, UNSAFE, families_in, nasty_texts, texts

EXAMPLES = 300
WITHOUT = r"\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff"


def counted(strategy: st.SearchStrategy[str]) -> Counter[str]:
    """In how many of the EXAMPLES each family is."""
    counts: Counter[str] = Counter()

    @settings(max_examples=EXAMPLES, derandomize=True, database=None, phases=[Phase.generate])
    @given(strategy)
    def look(text: str) -> None:
        counts.update(families_in(text))

    look()
    return counts


def test_each_family_occurs_in_one_text_of_twenty_at_least() -> None:
    counts = counted(nasty_texts)
    assert {family: counts[family] for family in FAMILIES if counts[family] < EXAMPLES // 20} == {}


def test_without_controls_the_other_families_still_occur() -> None:
    counts = counted(texts(without=WITHOUT))
    gone = {family for family in FAMILIES if not counts[family]}
    assert gone == {"CSI", "OSC", "DCS and its like", "other escapes", "C0", "C1", "surrogates"}


@each_of("family", FAMILIES)
def test_a_text_with_one_of_each_has_each(family: str) -> None:
    assert family in families_in(ONE_OF_EACH)


def test_alphabets_that_are_merged_are_what_this_is_there_for() -> None:
    merged = st.text(st.sampled_from("\u2066\u2067\u2068\u2069") | st.characters(codec=None))
    assert counted(merged)["bidi isolates"] < EXAMPLES // 20


def test_no_other_test_merges_alphabets() -> None:
    """`text(a | b)` and `text(one_of(a, b))` look nasty and are not."""
    found = []
    for path in sorted(Path(__file__).parents[1].rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        calls = path != Path(__file__) and re.search(r"\btext\s*\(", source)
        for node in ast.walk(ast.parse(source)) if calls else ():
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("st.text", "text") and node.args:
                alphabet = node.args[0]
                if isinstance(alphabet, ast.BinOp) or "one_of(" in ast.unparse(alphabet):
                    found.append(f"{path.name}:{node.lineno}")
    assert found == []


def test_what_is_unsafe_is_found() -> None:
    assert UNSAFE.search("plain – ✓ 漢字 e\u0301 🎉\n\ttext") is None
    assert UNSAFE.search("\u2068") is not None
