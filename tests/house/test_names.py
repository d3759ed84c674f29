"""Names are nouns of the field, stand for one thing each, and private words become rarer."""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

import pytest

from tests.house.sources import PACKAGE, hold, name_of, nodes_of, sources, tree_of

_NOUNS = """
    actions agent anchor ansi app apply attribution banners bar base blocks board bridge browser calls capabilities
    capture chain changes children choices claim cli client codec command commands comments comparison completions
    compose config connection console content context continuation controls conversation data database dialect dialog
    diff digest download draft drafts drawing drawings driver edit editor elicitation entries errors escapes export
    expressions extensions facts faults fields file files filter flow folders footer form formats formatting frozen
    git grammar handover head heading history index info initialization input inspection installation jsonrpc keyboard
    layout lifecycle line list lists log logins markdown masking memory mentions menu message messages motions names
    negotiation notice offer offers openings operations options output painter palette pane panel panels parsers parts
    patch patches paths peer permissions phrases picker pipeline plan plans preferences preparation process processes
    programs project prompt prompts proof question questions queue reader readers record recording records redaction
    registry relay replace replay report repository retention rewind routing rows rule rules run scenes screen screens
    search services session sessions settings setup sidebar snapshots source splitter start startup state status steps
    store subagents subject suggestions suspension table tables tabs terminals text texts theme threads thumbnail
    timeline title toasts tracker traffic tree turn undo units updates usage uses view viewport walk watchdog work
    book board limits words presets workspace wrap writer
"""
NOUNS = frozenset(_NOUNS.split())  # the last word of a module's name is one of these; a new one is added on purpose
NEVER_ALONE = frozenset(
    ("actions", "words", "rows", "keys", "line", "reading", "updates", "folders", "screen", "panel")
)
QUESTION_WORDS = ("What", "How", "Who", "Where", "Which", "When")
TWINS = ("protocol/v1/", "protocol/v2/")  # the same parts in both versions of the protocol

WORDS = {
    "told": 1067,
    "tell": 154,
    "tells": 75,
    "said": 538,
    "say": 362,
    "says": 250,
    "heard": 53,
    "hear": 30,
    "whose": 110,
    "beside": 198,
    "anew": 60,
    "came": 107,
    "went": 41,
    "wish": 16,
    "meant": 77,
    "who": 195,
    "look": 446,
    "looks": 59,
    "looking": 32,
    "kept": 432,
    "keep": 136,
    "early": 128,
    "act": 280,
    "acts": 63,
}  # of the house's old dialect, with how often they may stand in identifiers and first lines: less, never more


def _modules() -> list[str]:
    return [name_of(path)[:-3] for path in sources() if not path.name.startswith("__")]


def _floor(name: str) -> str:
    return name.partition("/")[0] if "/" in name else ""


def _base(name: str) -> str:
    return name.rsplit("/", 1)[-1]


def module_problems(names: Iterable[str]) -> Iterator[str]:
    """What is wrong with the names of modules: paths below the package, without their suffix."""
    names = sorted(names, key=_base)
    for name in names:
        if (base := _base(name)).split("_")[-1] not in NOUNS:
            yield f"{name}: {base.split('_')[-1]!r} is not in the list of nouns"
        if base in NEVER_ALONE:
            yield f"{name}: {base!r} never stands alone"
    for base, group in groupby(names, _base):
        found = [*group]
        floors = Counter(_floor(name) for name in found if not name.startswith(TWINS))
        yield from (f"{base} stands {count} times on {floor}" for floor, count in floors.items() if count > 1)
        if len(found) - sum(name.startswith(TWINS) for name in found) > 3:
            yield f"{base} stands more than three times"


def _public_classes(path: Path) -> Iterator[str]:
    yield from (node.name for node in tree_of(path).body if isinstance(node, ast.ClassDef) and node.name[0] != "_")


def class_problems(classes: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Public classes, as (module, class), whose name stands twice on a floor."""
    found = defaultdict[tuple[str, str], list[str]](list)
    for module, name in classes:
        if not module.startswith(TWINS):
            found[_floor(module), name].append(module)
    yield from (f"{name}: {', '.join(modules)}" for (_, name), modules in found.items() if len(modules) > 1)


def first_line(node: ast.AST) -> str:
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return (ast.get_docstring(node) or "").partition("\n")[0]
    return ""


def _identifier(node: ast.AST) -> str:
    for kind, attribute in {ast.Name: "id", ast.Attribute: "attr", ast.arg: "arg"}.items():
        if isinstance(node, kind):
            return str(getattr(node, attribute))
    return str(node.name) if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) else ""


def words_of(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The words in identifiers and in first lines of docstrings, in small letters."""
    for node in nodes:
        for text in filter(None, (_identifier(node), first_line(node))):
            yield from (word.lower() for word in re.findall(r"[A-Z]?[a-z]+", text))


def test_modules_are_named_by_nouns() -> None:
    assert [*module_problems(_modules())] == []


def test_public_classes_are_named_once_on_a_floor() -> None:
    named = [(name_of(path), name) for path in sources() for name in _public_classes(path)]
    assert [*class_problems(named)] == []


def test_a_module_says_what_it_is() -> None:
    def law(path: Path) -> Iterator[str]:
        line = first_line(tree_of(path))
        if line.startswith(QUESTION_WORDS):
            yield f"{line!r} describes instead of naming"

    hold(law, sources())


def test_old_words_become_rarer() -> None:
    counts = Counter(word for path in sources() for word in words_of(nodes_of(path)) if word in WORDS)
    assert {word: count for word, count in counts.items() if count > WORDS[word]} == {}


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (["ui/zebra_told"], "ui/zebra_told: 'told' is not in the list of nouns"),
        (["ui/rows"], "ui/rows: 'rows' never stands alone"),
        (["ui/a/dialect", "ui/b/dialect"], "dialect stands 2 times on ui"),
        (["ui/dialect", "host/dialect", "wire/dialect", "session/dialect"], "dialect stands more than three times"),
    ],
)
def test_a_bad_name_is_found(names: list[str], problem: str) -> None:
    assert problem in [*module_problems(names)]


def test_twins_of_the_protocol_may_share_names() -> None:
    assert [*module_problems(["protocol/v1/dialect", "protocol/v2/dialect", "protocol/dialect"])] == []
    assert [*class_problems([("protocol/v1/a", "Offer"), ("protocol/v2/a", "Offer")])] == []
    assert [*class_problems([("host/a", "Offer"), ("host/b", "Offer"), ("ui/c", "Offer")])] == ["Offer: host/a, host/b"]


def test_words_are_read_from_names_and_first_lines() -> None:
    tree = ast.parse('def was_told(saidSo):\n    """Who came.\n\n    told\n    """\n    self.heard = told_it')
    assert sorted(words_of(ast.walk(tree))) == [
        "came",
        "heard",
        "it",
        "said",
        "self",
        "so",
        "told",
        "told",
        "was",
        "who",
    ]


def _show() -> None:
    """Print the counts of today, to be lowered here where they fell."""
    counts = Counter(word for path in PACKAGE.rglob("*.py") for word in words_of(nodes_of(path)) if word in WORDS)
    print(*(f'"{word}": {counts[word]},' for word in WORDS), sep="\n")


if __name__ == "__main__":
    _show()
