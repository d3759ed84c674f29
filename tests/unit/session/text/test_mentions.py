"""How mentions are read and written."""

from hypothesis import example, given
from hypothesis import strategies as st

from acp_tui.session.text.mentions import Mention, beginning, begun, mention_of, mentions_in, written
from tests.rows import each_of


def names(text: str) -> list[str]:
    return [mention.name for mention in mentions_in(text)]


@each_of(
    ("text", "expected"),
    [
        ("see @src/a.py", ["src/a.py"]),
        ("@a.py and @b.py", ["a.py", "b.py"]),
        ("see @src/a.py:10-20 please", ["src/a.py:10-20"]),
        ("line @a.py:7.", ["a.py:7"]),
        ("turned @a.py:20-10", ["a.py:10-20"]),
        ('spaces @"my file.md" here', ["my file.md"]),
        ('spaces @"my file.md":3-4.', ["my file.md:3-4"]),
        ("a folder @src/ui/", ["src/ui/"]),
        ("ends (see @a.py), so", ["a.py"]),
        ("what is @a.py?", ["a.py"]),
        ("someone@host.example", []),
        ("@", []),
        ('@"" nothing', []),
        ("@:10", [":10"]),
        ("outside @/etc/hosts and @~/x", ["/etc/hosts", "~/x"]),
    ],
)
def test_reading(text: str, expected: list[str]) -> None:
    assert names(text) == expected


def test_the_place_is_told() -> None:
    text = 'x @"a b":2 y @c.'
    assert [text[each.start : each.end] for each in mentions_in(text)] == ['@"a b":2', "@c"]


@each_of(
    ("before", "expected"),
    [
        ("see @", ""),
        ("see @src/a", "src/a"),
        ("@", ""),
        ('@"my fi', "my fi"),
        ("see @a ", None),
        ('@"my file"', None),
        ("mail me@ho", None),
        ("nothing", None),
    ],
)
def test_what_is_being_written(before: str, expected: str | None) -> None:
    assert begun(before) == expected
    assert (beginning(before) == len(before)) is (expected is None)


@example("@")
@example("a:3")
@example('quote"q.txt')
@example('a \\"b\\')
@given(st.text(st.characters(categories=["L", "N", "P", "Zs"]), min_size=1, max_size=20))
def test_what_is_written_is_read_again(path: str) -> None:
    if path.split() != [path] and path.strip() == "":
        return
    for first, last in ((0, 0), (3, 9)):
        read = list(mentions_in(f"see {written(path, first, last)} there"))
        assert [(each.path, each.first, each.last) for each in read] == [(path, first, last)]


@given(st.text(alphabet='@"a. :1-(\n', max_size=30))
def test_places_never_overlap_and_are_inside(text: str) -> None:
    at = 0
    for mention in mentions_in(text):
        assert at <= mention.start < mention.end <= len(text)
        at = mention.end


def test_the_name_without_lines_is_the_path() -> None:
    assert Mention(0, 1, "a").name == "a"
    assert written("a", 4, 4) == "@a:4"


@each_of(
    ("text", "path"),
    [
        ('@"quote\\"q.txt"', 'quote"q.txt'),
        ('@"C:\\dir\\a b.txt"', "C:\\dir\\a b.txt"),
        ('@"C:\\a dir\\"', "C:\\a dir\\"),  # as one writes it; `written` has two of them there
        ('@"a b\\\\"', "a b\\"),
    ],
)
def test_quotes_in_quotes(text: str, path: str) -> None:
    assert [each.path for each in mentions_in(f"see {text}")] == [path]


@each_of(("before", "path"), [('@"quote\\"q', 'quote"q'), ('@"a', "a"), ('@"', "")])
def test_what_is_being_written_in_quotes(before: str, path: str) -> None:
    assert begun(before) == path


@each_of("name", ["a.py:3-9", "a b.py", 'quote"q.txt', "a.py."])
def test_the_mention_of_a_link_names_it(name: str) -> None:
    assert [each.name for each in mentions_in(mention_of(name))] == [name]
