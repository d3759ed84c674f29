"""Searching very many paths."""

from hypothesis import given
from hypothesis import strategies as st

from acp_tui.host.prompts.file_index import FileList

PATHS = [
    "README.md",
    "src/",
    "src/app.py",
    "src/session/",
    "src/session/state.py",
    "docs/my notes.md",
    "tests/test_app.py",
]


def find(query: str) -> list[str]:
    return FileList(PATHS).find(query)


def test_nothing_written_gives_the_topmost_first() -> None:
    assert find("")[:3] == ["README.md", "src/", "docs/my notes.md"]


def test_a_name_that_begins_so_comes_first() -> None:
    assert find("app")[:2] == ["src/app.py", "tests/test_app.py"]


def test_folders_are_found_by_their_name() -> None:
    assert find("session")[0] == "src/session/"


def test_a_path_is_found_by_its_beginning_and_its_middle() -> None:
    assert find("src/se")[0] == "src/session/"
    assert find("session/st")[0] == "src/session/state.py"
    assert find("./src/app")[0] == "src/app.py"


def test_capitals_do_not_matter_and_blanks_do() -> None:
    assert find("readme") == ["README.md"]
    assert find("MY NO") == ["docs/my notes.md"]


def test_scattered_letters() -> None:
    assert find("tstapp") == ["tests/test_app.py"]
    assert "src/session/state.py" in find("sst")


def test_what_is_not_there() -> None:
    assert find("xyz") == []
    assert FileList().find("a") == []
    assert FileList().find("") == []


def test_membership_with_and_without_the_folders_sign() -> None:
    files = FileList(PATHS)
    assert "src/app.py" in files
    assert "src" in files
    assert "src/" in files
    assert "app.py" not in files


words = st.text(alphabet="abc/._ ", min_size=1, max_size=8).filter(lambda path: path.strip("/"))


@given(st.lists(words, max_size=20), st.text(alphabet="abc/._", min_size=1, max_size=4))
def test_exactly_the_paths_that_hold_the_letters_in_order_are_found(paths: list[str], query: str) -> None:
    def scattered(path: str) -> bool:
        letters = iter(path)
        return all(sign in letters for sign in query.removeprefix("./"))

    found = FileList(paths).find(query, 1000)
    assert set(found) == {path for path in paths if scattered(path)}
    assert len(found) == len([path for path in paths if scattered(path)])


@given(st.lists(words, max_size=20), st.text(alphabet="abc/._", min_size=1, max_size=5))
def test_letters_that_go_on_find_what_all_of_them_find(paths: list[str], query: str) -> None:
    written = FileList(paths)
    for end in range(1, len(query)):
        written.find(query[:end], 1000)
    assert written.find(query, 1000) == FileList(paths).find(query, 1000)


def test_a_letter_that_is_longer_in_lower_case() -> None:
    assert FileList(["a/\u0130b.py", "a/c.py"]).find("c.py") == ["a/c.py"]
