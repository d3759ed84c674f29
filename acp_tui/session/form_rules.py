"""Rules of what may be entered into a field, and the messages where it may not.

A text that cannot be judged here (a pattern that is not tried) is left to the agent, and that is said.
"""

import math
import re
import string
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from math import comb
from urllib.parse import urlsplit

from acp_tui.protocol.vocabulary.elicitation import (
    IntegerProperty,
    MultiSelectProperty,
    NumberProperty,
    ScalarChoice,
    StringProperty,
)
from acp_tui.session.form_fields import Entered, Field, number_text
from acp_tui.session.text.phrases import counted

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


Value = str | int | float | bool | list[str]
"""What is sent for a field."""

_WHOLE = re.compile(r"[+-]?[0-9]{1,19}")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_EMAIL = re.compile(r"[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)*")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DATE_TIME = re.compile(
    rf"{_DATE.pattern}[Tt ][0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}(?:\.[0-9]+)?(?:[Zz]|[+-][0-9]{{2}}:[0-9]{{2}})"
)
_LIMIT_64 = 2**63


class InvalidInput(ValueError):
    """Raised for an entry that may not be; the message says what would be right."""


def value_of(field: Field, entered: Entered) -> Value | None:
    """What was entered as it is sent, `None` where nothing was; raises Refused with one message."""
    if is_nothing(field, entered):
        if field.required:
            raise InvalidInput(_NEEDED.get(field.kind, "Required"))
        return None
    match field.kind, field.rules, entered:
        case "text", StringProperty() as rules, str():
            return _text(field, rules, entered)
        case "number" | "integer", NumberProperty() | IntegerProperty() as rules, str():
            return _number(rules, entered.strip())
        case "boolean", _, bool():
            return entered
        case "choice", _, str():
            return _chosen(field, entered)
        case "choices", MultiSelectProperty() as rules, tuple() | None:
            return _all_chosen(field, rules, entered or ())
    raise InvalidInput("Not supported by acp-tui")


_NEEDED = {
    "boolean": "Choose yes or no",
    "choice": "Choose one",
    "choices": "Choose at least one",
    "unknown": "Not supported by acp-tui",
}


def is_nothing(field: Field, entered: Entered) -> bool:
    """Whether nothing was entered. Empty text is nothing, unless the agent itself suggests it; so are no choices."""
    if field.kind == "choices":
        may_be_none = isinstance(field.rules, MultiSelectProperty) and field.rules.min_items == 0
        return not entered and not (field.default == () or (field.required and may_be_none))
    if field.kind == "choice" or not isinstance(entered, str):
        return entered is None
    return not entered.strip() and field.default != entered


def _text(field: Field, rules: StringProperty, text: str) -> str:
    _hold(len(text), rules.min_length, rules.max_length, "character")
    check = _FORMATS.get(rules.format or "")
    if check is not None and not check[0](text):
        raise InvalidInput(f"Enter {check[1]}")
    if rules.pattern is not None and matches(rules.pattern, text) is False:
        raise InvalidInput(_expected(rules.pattern, example_of(field)))
    return text


def _expected(pattern: str, example: str) -> str:
    return f"Format: {example} (pattern {pattern})" if example else f"Does not match the pattern {pattern}"


EXAMPLE_AT_MOST = 30  # characters
_CHARACTERS = string.ascii_lowercase + string.ascii_uppercase + "1234567890" + string.punctuation


def example_of(field: Field) -> str:
    """A text that may be entered: the agent's own example or default, else one that is made of a plain pattern."""
    rules = field.rules
    if not isinstance(rules, StringProperty):
        return ""
    extra = rules.model_extra or {}
    given = extra.get("examples")
    texts = [*(given if isinstance(given, list) else ()), extra.get("example")]
    texts += [] if rules.pattern is None else [None if field.secret else field.default, _sample(rules.pattern)]
    for text in texts:
        short = isinstance(text, str) and text.isprintable() and 0 < len(text) <= EXAMPLE_AT_MOST
        allowed = short and (rules.min_length or 0) <= len(text) <= (rules.max_length or EXAMPLE_AT_MOST)
        if allowed and (rules.pattern is None or matches(rules.pattern, text)):
            return str(text)
    return ""


@lru_cache(maxsize=256)
def _sample(pattern: str) -> str:
    """A text of a pattern without choices, as short as it allows: `1.2.3`; empty where the pattern is another."""
    tokens = list(_TOKEN.finditer(pattern)) if len(pattern) <= MAX_LENGTH else []
    if not pattern.startswith("^") or not pattern.endswith("$") or "".join(each[0] for each in tokens) != pattern:
        return ""
    made, used = "", Counter[str]()
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        count = after if after is not None and after.lastgroup == "count" else None
        if token.lastgroup == "or" or (token.lastgroup == "close" and count) or len(made) > EXAMPLE_AT_MOST:
            return ""
        if token.lastgroup in ("set", "one"):
            fitting = _fitting(token)
            for _ in range(_times(count, fitting) if fitting else 0):
                made += fitting[used[fitting] % len(fitting)]
                used[fitting] += 1
    return made


def _fitting(token: re.Match[str]) -> str:
    if token.lastgroup == "one":
        return token[0]
    try:
        expression = re.compile(_written(token), re.ASCII)
    except re.error:
        return ""
    return "".join(filter(expression.fullmatch, _CHARACTERS))


def _times(count: re.Match[str] | None, fitting: str) -> int:
    """How often a part stands in the sample: a word has three letters, a number one digit."""
    if count is None:
        return 1
    if count[0][0] == "+":
        return 3 if fitting[0].isalpha() and len(fitting) > 1 else 1
    return min(int(count["least"] or 0), EXAMPLE_AT_MOST + 1)


def is_left_to_the_agent(field: Field, entered: Entered) -> bool:
    """Whether the field has a pattern that is not tried here on what was entered (or on an empty text)."""
    pattern = field.rules.pattern if isinstance(field.rules, StringProperty) else None
    return pattern is not None and matches(pattern, entered if isinstance(entered, str) else "") is None


def _number(rules: NumberProperty | IntegerProperty, text: str) -> int | float:
    whole = isinstance(rules, IntegerProperty)
    if not (_WHOLE if whole else _NUMBER).fullmatch(text):
        raise InvalidInput("Enter a whole number" if whole else "Enter a number")
    number = int(text) if _WHOLE.fullmatch(text) else float(text)
    if not -_LIMIT_64 <= number < _LIMIT_64:
        number = float(number)
        if whole or math.isinf(number):
            raise InvalidInput("Too large")
    if rules.minimum is not None and number < rules.minimum:
        raise InvalidInput(f"At least {number_text(rules.minimum)}")
    if rules.maximum is not None and number > rules.maximum:
        raise InvalidInput(f"At most {number_text(rules.maximum)}")
    return number


def _chosen(field: Field, value: str) -> Value:
    if value not in [choice.value for choice in field.choices]:
        raise InvalidInput("Not one of the choices")
    return field.rules.scalars.get(value, value) if isinstance(field.rules, ScalarChoice) else value


def _all_chosen(field: Field, rules: MultiSelectProperty, values: tuple[str, ...]) -> list[str]:
    chosen = [choice.value for choice in field.choices if choice.value in values]
    if len(chosen) < len(set(values)):
        raise InvalidInput("Not among the choices")
    _hold(len(chosen), rules.min_items, rules.max_items, "choice")
    return chosen


def _hold(count: int, least: int | None, most: int | None, noun: str) -> None:
    if least is not None and count < least:
        raise InvalidInput(f"At least {counted(least, noun)} ({count} now)")
    if most is not None and count > most:
        raise InvalidInput(f"At most {counted(most, noun)} ({count} now)")


def _is_uri(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    spaced = any(character.isspace() or ord(character) < 0x20 for character in text)
    return not spaced and bool(_SCHEME.fullmatch(parts.scheme)) and len(text) > len(parts.scheme) + 1


def _is_date(text: str) -> bool:
    return _DATE.fullmatch(text) is not None and _is_moment(text)


def _is_date_time(text: str) -> bool:
    return _DATE_TIME.fullmatch(text) is not None and _is_moment(text.upper())


def _is_moment(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


_FORMATS: dict[str, tuple[Callable[[str], object], str]] = {
    "email": (_EMAIL.fullmatch, "an email address"),
    "uri": (_is_uri, "a full URL, like https://example.com"),
    "date": (_is_date, "a date, like 2026-08-31"),
    "date-time": (_is_date_time, "a date and time with time zone, like 2026-08-31T12:00:00Z"),
}
"""Formats that are held to; others are only told."""


_NAMES = {"email": "email address", "uri": "URL", "date": "like 2026-08-31", "date-time": "like 2026-08-31T12:00:00Z"}


def rules_in_words(field: Field) -> str:
    """What the field takes, short: `email`, `3 to 8 characters`, `0 to 10`; empty where anything goes."""
    rules = field.rules
    match rules:
        case StringProperty() if field.kind == "text":
            lengths = _range(rules.min_length or None, rules.max_length, "character")
            named = _NAMES.get(rules.format or "", (rules.format or "").replace("-", " "))
            example = example_of(field)
            if rules.pattern:
                example = f"Format: {example}" if example else "must match a pattern"
            elif example:
                example = f"for example {example}"
            return " · ".join(part for part in (named, lengths, example) if part)
        case NumberProperty() | IntegerProperty():
            noun = "number" if isinstance(rules, NumberProperty) else "whole number"
            limits = _range(rules.minimum, rules.maximum, "")
            return f"{noun}, {limits}" if limits else noun
        case MultiSelectProperty():
            return _range(rules.min_items or None, rules.max_items, "choice")
        case _:
            return ""


def _range(least: float | None, most: float | None, noun: str) -> str:
    if least is None and most is None:
        return ""
    last = number_text(least or 0 if most is None else most)
    if most is None:
        text = f"at least {last}"
    elif least is None:
        text = f"at most {last}"
    else:
        text = last if least == most else f"{number_text(least)} to {last}"
    return f"{text} {noun}{'' if last == '1' else 's'}" if noun else text
