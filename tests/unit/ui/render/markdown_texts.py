"""Markdown as agents write it, and worse: what the tests of the renderer draw from."""

from itertools import pairwise

from hypothesis import strategies as st

WORDS = st.sampled_from(
    [
        "alpha",
        "beta",
        "**bold**",
        "*it*",
        "`code`",
        "~~off~~",
        "[text](http://a.b/c)",
        "漢字かな",
        "é",
        "👩\u200d💻",
        "<div>",
        "&amp;",
        "&#x202e;",
        "\\*",
        "a_b_c",
        "|",
        "x" * 70,
        "[ref][x]",
        "![pic](a.png)",
        "http://x.y/z.",
        "\x1b[31mred\x1b[0m",
        "1.",
        "-",
        ">",
        "#",
        "```",
        "~~~",
        "\u202e",
        "\t",
        "**",
        "`",
        "[",
        "](",
    ]
)
STARTS = st.sampled_from(
    [
        "",
        "",
        "",
        "",
        "# ",
        "## ",
        "- ",
        "* ",
        "  - ",
        "    - ",
        "1. ",
        "2) ",
        "   1. ",
        "> ",
        "> - ",
        "- [ ] ",
        "- [x] ",
        "    ",
        "  ",
        "\t",
        "| a | ",
        "[x]: ",
        ">> ",
    ]
)
WHOLE = st.sampled_from(
    [
        "",
        "",
        "",
        "```python",
        "```",
        "  ```",
        "   ```sh",
        "~~~",
        "````",
        "---",
        "***",
        "===",
        "| a | b |",
        "|---|:-:|",
        "> ```",
        "def f(x):  # hm",
        '    """doc',
        "\r",
        "- ",
        "1.",
    ]
)
LINES = st.one_of(WHOLE, st.builds(lambda start, words: start + " ".join(words), STARTS, st.lists(WORDS, max_size=8)))
DOCUMENTS = st.lists(LINES, max_size=25).map("\n".join)


def chunked(text: str, cuts: list[int]) -> list[str]:
    """The text in pieces, cut at the given places."""
    places = sorted({min(cut, len(text)) for cut in cuts} | {0, len(text)})
    return [text[start:end] for start, end in pairwise(places)]
