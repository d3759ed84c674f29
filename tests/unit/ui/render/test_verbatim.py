"""Prose keeps what was not meant as Markdown, and what was meant is Markdown still."""

from functools import partial

from acp_tui.ui.render.markdown import Inlines, lines_of
from acp_tui.ui.render.text import Piece
from tests.rows import each_of
from tests.unit.ui.render.test_markdown import PALETTE, drawn
from tests.work import calls_of

AS_WRITTEN = r"""
$\{1, 2\}$ and $x^*_i$ and $y^*_j$
$$\sum_{i*j} a_i*b_i$$
then \(x^*_i\) and \(y^*_j\)
\[ a_i * b_i * c \]
*.py and *.js
src/*.py, lib/*.js
src/*.py lib/*.js test/*.c
**/*.py and **/*.js
*.py *.js
*.tar.gz, *.zip
the *.* files, all *.*
rm -rf build/* dist/* *.egg-info/
List<T> and Map<K, List<V>>
snake_case_name and _private and __init__.py
__main__ and self.__init__(x)
if __name__ == "__main__":
C:\dir\* and C:\*.txt
\\server\share\_x
.\build\*.obj ..\_x
%APPDATA%\_x\*
~user and ~/code
2 * 3 * 4
2*3*4 = 24
x**2 + y**2 = z**2
a*b*c
f(*args, **kwargs) and g(*a, **k)
#include <stdio.h>
#1 is first
1986. A year
1986) A year
$HOME and $PATH
costs $5 to $10, $20 in all
5 > 3 and 2 < 4
a & b && c
handlers[name](event)
arr[i][j] = x[0](1)
node_modules/_x_/y
*test*/*.py *test*.py src/**test**/x **/foo**/bar
-1 degrees
+1 for that
foo(a, *b) * c
src/**/test_*.py
!important
a | b
C# and F#
user_id, *ptr, **ptr
int *p, *q;
const char **argv
char *a; char *b
SELECT * FROM a; SELECT * FROM b
*nix and *BSD
**/node_modules/**
/**/ and /* x */
e-mail: a_b@c_d.com
\d+ and \w*
""".strip().split("\n")

MEANT = [
    ("**bold** *it*", "bold it"),
    ("**.env** and **.gitignore**", ".env and .gitignore"),
    ("**/usr/bin** path", "/usr/bin path"),
    ("**src/**, *src/a.py*", "src/, src/a.py"),
    ("**bold**text *a*b", "boldtext ab"),
    ("2 **x** 3", "2 x 3"),
    ("**a*b**", "a*b"),
    ("***both***", "both"),
    ("**重要**です", "重要です"),
    ("**a**/**b** and *this*/*that*/*it*", "a/b and this/that/it"),
    ("**Read it**/**Änder**/**`x`**", "Read it/Änder/x"),
    ("**src**/a.py and **README**.md", "src/a.py and README.md"),
    ("__bold__ _it_", "bold it"),
    ("\\*not\\* \\_x\\_", "*not* _x_"),
    ("\\[1\\] \\[x\\](y)", "[1] [x](y)"),
    ("**$5** to **$10**", "$5 to $10"),
    ("**$HOME** and **$PATH**", "$HOME and $PATH"),
    ("cost $5 `a$`", "cost $5 a$"),
    ("**C:\\dir\\**", "C:\\dir\\"),
    ("[a](README.md)", "a (README.md)"),
    ("`a*b` and `$x$`", "a*b and $x$"),
    ("~~off~~", "off"),
    ("1986\\. A", "1986. A"),
]


@each_of("line", AS_WRITTEN)
def test_what_is_no_markdown_stays_as_it_was_written(line: str) -> None:
    assert drawn(line, 100) == [line]
    assert drawn(f"And {line} then", 100) == [f"And {line} then"]


@each_of("source, shown", MEANT)
def test_what_is_meant_is_markdown_still(source: str, shown: str) -> None:
    assert drawn(source) == [shown]


@each_of("line", AS_WRITTEN)
def test_a_text_that_grows_ends_the_same(line: str) -> None:
    text = f"{'words and more ' * 20}{line} *and* more {line}"
    inlines = Inlines(PALETTE, kept=True)
    for end in range(200, len(text) + 1, 7):
        inlines.next_state()
        lines_of(Piece(lines=[text[:end]]), PALETTE, PALETTE.text, 60, inlines)
    (grown,) = lines_of(Piece(lines=[text]), PALETTE, PALETTE.text, 60, inlines)
    (whole,) = lines_of(Piece(lines=[text]), PALETTE, PALETTE.text, 60)
    assert grown.runs == whole.runs


@each_of(
    "source, shown",
    [
        ("a<br>b<br/>c<BR />d", ["a", "b", "c", "d"]),
        ("a<br>\nb", ["a", "b"]),
        ("`<br>` and <broken>", ["<br> and <broken>"]),
        ("- a<br>b", ["• a", "  b"]),
        ("| a | b |\n|--|--|\n| x<br>yy | z |\n| 1 | 2 |", ["a   b", "──  ─", "x   z", "yy", "1   2"]),
    ],
)
def test_a_break_of_html_is_one(source: str, shown: list[str]) -> None:
    assert drawn(source) == shown


def test_a_narrow_table_breaks_there_too() -> None:
    assert drawn("| head | other |\n|--|--|\n| x<br>y | z |", 6) == ["head: x", "y", "other: z"]


@each_of(
    "source",
    [
        "$$\na_i\n- b*c*\n= d\n$$",
        "so\n\\[\n- x^*_i\n# y\n\\]\nmore",
        "$$x\n  1. y$$",
        "$$\n\nx",
    ],
)
def test_a_formula_of_several_lines_has_no_lists_inside(source: str) -> None:
    assert drawn(source) == [line.strip() for line in source.split("\n") if line or "$$\n\n" in source]


@each_of(
    "source, shown",
    [
        ("1986. A\n1991. B", ["1986. A", "1991. B"]),
        ("1) a\n2) b", ["1) a", "2) b"]),
        ("1. a\n1. b\n1. c", ["1. a", "2. b", "3. c"]),
        ("3. a\n2. b", ["3. a", "4. b"]),
    ],
)
def test_a_list_keeps_its_numbers(source: str, shown: list[str]) -> None:
    assert drawn(source) == shown


@each_of("line", ["- a", "1. a", "> a", "a", "a\\", "\\[a", "$$a"])
def test_what_is_kept_is_work_that_grows_with_the_text(line: str) -> None:
    few, many = (calls_of(partial(drawn, "\n\n".join([line] * size))) for size in (100, 400))
    assert many < 6 * few
