r"""An agent's `pattern` (ECMA-262) tried on a text, if Python's `re` can do that in little time whatever the text is.

`re` backtracks, and a pattern that an agent sends could stop the program with it. So it is counted before in how many
ways a pattern may be laid over a text of that length. Where these are too many, where what is repeated has choices
itself, or where `re` means something else (looking around, references back, `\S` in a class), it is not tried.
"""

import re
from functools import lru_cache
from math import comb

MAX_WORK = 2_000_000
"""Ways times parts of the pattern: 50 ms at most, because a form may have hundreds of patterns."""
MAX_LENGTH = 1_000  # characters of a pattern, which `re` compiles

_ESCAPE = r"\\(?:[dDwWsSnrtvf]|0(?![0-9])|x[0-9a-fA-F]{2}|u(?![dD][89a-fA-F])[0-9a-fA-F]{4}|[\W_])"
_TOKEN = re.compile(
    r"(?P<open>\((?:\?:|\?<(?![=!])[^>]*>|(?!\?)))|(?P<close>\))|(?P<or>\|)|(?P<edge>[\^$])"
    r"|(?P<count>[*+?]|\{(?P<least>[0-9]{1,3})(?P<range>,(?P<most>[0-9]{0,3}))?\})\??"
    rf"|(?P<set>\.|{_ESCAPE}|\[(?P<not>\^?)(?P<members>(?:\\b|{_ESCAPE}|[^\\\]])*)\])|(?P<one>[^\\\[\]{{}}(])"
)
_SPACES = r"\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"  # `\d` and `\w` are ASCII in both
_SETS = {".": r"[^\n\r\u2028\u2029]", r"\s": f"[{_SPACES}]", r"\S": f"[^{_SPACES}]", "[]": "(?!)", "[^]": r"[\s\S]"}
_OTHERWISE = re.compile(r".-\\s|\\s-.|--|\\S")  # in classes: Python has another meaning for it, or none
_MEMBER = re.compile(r"\\.|[\[&~|]", re.DOTALL)
_SIGNS = {"open": "(", "close": ")", "or": "|", "edge": "^", "count": "*", "set": "a", "one": "a"}
_GROUP = re.compile(r"\(((?:[ac]\?|a\*|[ac^|])*)\)")  # only what has no choices (`a`, not `c`) may be repeated


def matches(pattern: str, text: str) -> bool | None:
    """Whether the pattern is found anywhere in the text; `None` if it is not one that is tried here."""
    expression = _read(pattern, len(text))
    return None if expression is None else expression.search(text) is not None


@lru_cache(maxsize=256)
def _read(pattern: str, length: int) -> re.Pattern[str] | None:
    """The pattern as `re` has it, if it may be tried on texts of that length."""
    tokens = list(_TOKEN.finditer(pattern)) if len(pattern) <= MAX_LENGTH else []
    if sum(len(token[0]) for token in tokens) < len(pattern):
        return None
    signs = "".join("?" if token[0][0] == "?" else _SIGNS[token.lastgroup or ""] for token in tokens)
    try:
        if _work(signs, tokens, length) > MAX_WORK:
            return None
        return re.compile("".join(map(_written, tokens)), re.ASCII)
    except (re.error, RecursionError):  # a range that ends before it begins, a class that Python reads otherwise
        return None


def _work(signs: str, tokens: list[re.Match[str]], length: int) -> int:
    """In how many ways the pattern may be laid over a text of that length, times its parts; raises `re.error`."""
    ways, parts = 1 << signs.count("?"), len(signs)
    loops = 0 if signs.startswith("^") and "|" not in signs else 1  # it may begin anywhere
    for token in tokens:
        if token.lastgroup == "count" and token[0][0] != "?":
            parts += int(token["least"] or 0)
            loops += token["least"] is None or token["range"] is not None
    ways *= comb(max(length, loops) + loops, loops)  # what loops take is no longer than the text, altogether
    signs = f"({signs})"
    while group := _GROUP.search(signs):
        ways *= group[1].count("|") + 1
        signs = signs[: group.start()] + ("c" if set("?*|c") & set(group[1]) else "a") + signs[group.end() :]
    if len(signs) > 1:
        raise re.error("a choice is repeated, or a parenthesis stands alone")
    return ways * parts


def _written(token: re.Match[str]) -> str:
    """A token as `re` has it; raises `re.error`."""
    text = token[0]
    match token.lastgroup:
        case "open":
            return "(?:"
        case "edge":
            return "^" if text == "^" else r"\Z"
        case "set" if text not in _SETS and token["members"]:
            if _OTHERWISE.search(token["members"]):
                raise re.error("a class that Python reads in another way")
            return f"[{token['not']}{_MEMBER.sub(_member, token['members'])}]"
    return _SETS.get(text, text)


def _member(found: re.Match[str]) -> str:
    if found[0] == r"\s":
        return _SPACES
    return found[0] if found[0].startswith("\\") else "\\" + found[0]
