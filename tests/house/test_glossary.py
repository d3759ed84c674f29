"""One word for one thing: the glossary of CONTRIBUTING.md, held over every text that a user reads."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.house.sources import ROOT, hold, nodes_of, sources

MOST_ROWS = 40
SPOKEN = sources("views", "ui", "headless", "arguments", "host", "session/text", "session/folds")
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "CHANGELOG.md")
SEARCHED = "also"  # keywords of a command: what a user may type to find it, never shown
WORDS_OF_OTHERS = "_TABLE"  # programs, commands and options that an agent may name, never shown
STATEMENT = re.compile(
    r"^\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|WHERE|\w+ = [\w.]+$)|\{ *[\w-]+: "
)  # SQL, paths, CSS
CODE = re.compile(r"```.*?```|`[^`\n]*`|\]\([^)]*\)|<!--.*?-->", re.DOTALL)


class Term(NamedTuple):
    word: str
    meaning: str
    others: tuple[str, ...]


def glossary() -> list[Term]:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("<!-- glossary: begin -->")[2].partition("<!-- glossary: end -->")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.strip().split("\n")[2:]]
    return [Term(word, meaning, tuple(filter(None, others.split(", ")))) for word, meaning, others in rows]


OTHERS = {other: term.word for term in glossary() for other in term.others}
_ANY = "|".join(re.escape(other).replace(r"\ ", r"\s+") for other in OTHERS)
NEVER = re.compile(rf"(?<![\w/-])(?:{_ANY})(?![\w-])", re.IGNORECASE)


def complaints(text: str) -> Iterator[str]:
    for found in NEVER.finditer(text):
        other = " ".join(found.group().lower().split())
        around = text[max(0, found.start() - 30) : found.end() + 30].replace("\n", " ")
        yield f"{other!r} instead of {OTHERS[other]!r}: …{around}…"


def texts(path: Path) -> Iterator[str]:
    """String literals that read like prose: with a blank, not a docstring, a statement or keywords for a search."""
    skipped = set()
    for node in nodes_of(path):
        if isinstance(node, ast.Expr):
            skipped.add(id(node.value))
        if isinstance(node, ast.keyword) and node.arg == SEARCHED:
            skipped.update(map(id, ast.walk(node)))
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).endswith(WORDS_OF_OTHERS):
            skipped.update(map(id, ast.walk(node)))
    for node in nodes_of(path):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or id(node) in skipped:
            continue
        if " " in node.value.strip() and not STATEMENT.search(node.value):
            yield node.value


def prose(path: Path) -> str:
    """A page without its code; of the changelog the open release."""
    text = path.read_text(encoding="utf-8")
    if path.name == "CHANGELOG.md":
        text = text.split("\n## ")[1]
    return CODE.sub(" ", text)


def test_a_word_stands_for_one_thing() -> None:
    terms = glossary()
    assert 20 <= len(terms) <= MOST_ROWS
    assert len(OTHERS) == sum(len(term.others) for term in terms)
    words = {word.strip() for term in terms for word in term.word.split(",")}
    assert not words & set(OTHERS)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Take back the last turn", ["take back"]),
        ("2 files are\nkept", ["are kept"]),
        ("in this folder", []),
        ("Folded", ["folded"]),
        ("the log-in", ["log-in"]),
    ],
)
def test_a_complaint_names_the_word(text: str, found: list[str]) -> None:
    assert [each.split("'")[1] for each in complaints(text)] == found


def test_the_programs_texts_keep_to_the_glossary() -> None:
    hold(lambda path: [each for text in texts(path) for each in complaints(text)], SPOKEN)


def test_the_pages_keep_to_the_glossary() -> None:
    problems = [f"{path.name}: {each}" for path in PAGES for each in complaints(prose(path))]
    assert not problems, "\n".join(problems)
