"""Texts, commands and data without their secrets: the one place that hides a value, whoever it is shown to.

A value is found by the name before it (`secret_names`) or by its own form, and hidden to the end of its quote, its line
or its block; the name stays. In doubt too much is hidden. Whoever shortens a text masks it before. All is linear: names
are searched as plain strings (about 30 ms for 1 MB), expressions are tried only behind one and never give back.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from acp_tui.session.text.secret_names import CONCEALED, hides, is_secret, may_name_secret, option_asks

Span = tuple[int, int]

# Whatever is in a name of a secret, in small letters.
_IN_NAMES = re.findall(
    r"\S+",
    "pass pw secret token pat pin otp cvv cvc key auth cookie cred bearer jwt ssn mnemonic kennwort motdepasse"
    " contraseñ senha парол секрет токен 密 口令 令牌 パスワード 暗証 トークン 비밀번호 암호 토큰",
)
_NAME_BEGINS = 80  # characters of a name that are looked at before the word that gives it away
_WORD_SIGNS = "_-"

_CLOSE = r"""(?P<close>\\{0,8}["'`]{0,3}\]?\)?)"""  # of a quote, brackets or a call that the name stands in
_TYPE = (
    r"(?:(?i:str|string|bytes|number|int|bool|boolean|any|secretstr|optional\[\w{1,20}\])\b(?:[ \t]?\|[ \t]?\w{1,20})?)"
)
_GOES_TO = (
    rf"(?:\??[ \t]{{0,9}}:[ \t]{{0,9}}&?{_TYPE}[ \t]{{0,9}}=(?!=)"
    r"|(?:[ \t]string)?\??[ \t]{0,40}(?:[?+:!]?={1,3}>?|[:：](?![:/]))[ \t]{0,40})"
)
_ASSIGNED = re.compile(_CLOSE + _GOES_TO + r"[ \t]{0,40}")
_PAIRED = re.compile(_CLOSE + r"""[,\s]{1,60}\\{0,8}["']?(?i:value)\\{0,8}["']?\s{0,9}[:=][ \t]{0,40}""")
_ELEMENT = re.compile(r"(?:\s[^<>]{0,200})?>(?:(?P<value>[^<]*+)</|\s{0,40}(?P<data><!\[CDATA\[))")
_LEADS = r"""\\{0,8}["'`]{0,3}\]?\)?[ \t]{0,40}(?:[=:：>?+!,("'\n]|string|value)|\s[^<>]{0,200}>"""
_REST = re.compile(rf"([\w-]*+)({_LEADS})?")
_CALLED = re.compile(r"""(?P<close>["'])\s{0,9},\s{0,9}(?=["'])""")
_OPTION = re.compile(r"""(?P<close>)(?:(?:[ \t]{1,40}|[ \t]{0,9}\\\n\s{0,40})(?![\s-])|["'],\s{0,40}(?=["']))""")
_SAID = re.compile(r"""(?P<close>)(?:[ \t]{1,9}|\(\s{0,9})(?=["'])""")
_ONE_WORD = re.compile(r"""(?:[^\s"'`\\]|\\.|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')*+""")
_NAMED = re.compile(r"""(?:name|key|id|type)["']?\s{0,9}[:=]\s{0,9}["']?$""")
_SETS = re.compile(r"\b(?:ENV|setx|config(?:ure)?(?: set| --\w+){0,3})[ \t]+[\w.:/@-]*$")
_NO_LETTERS = re.compile(r"""(?:\s*\d+\W+)?[^\w=:(]*$""")
_HARMLESS = re.compile(
    rf"(?:{_TYPE}|(?i:true|false|null|none|nil|yes|no|undefined)\b)(?=[ \t]{{0,40}}(?:[,;)}}\]=]|\n|$))"
)
_COUNT = re.compile(r"\d[\d.,]*[ \t]*(?:[;)}\]]|\n|$)")

_QUOTE = re.compile(r"""[rbfuRBFUL@$]{0,2}#{0,3}(?P<quote>(?P<escapes>\\{0,8})(?:"{3}|'{3}|["'`]))""")
_MORE = re.compile(r"""[ \t]*+(?:[+.&][\s\\]*+|\\\n\s*+)?[rbfuL@$]{0,2}(?=["'`])|[\w$%@!^*~][\w$%@!^*~+./-]*""")
_ENDS = {sign: re.compile(rf"(?:[^\\{sign}]|\\.)*+{sign}", re.DOTALL) for sign in "\"'`"}
_BRACKETS = re.compile(
    r"""(?s)[\[({](?:[^\[\](){}"'`]|"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|`[^`]*+`)*+[\])}]"""
    r"(?=[ \t]*(?:[,;)}\]]|\n|$))"
)
_AROUND = re.compile(r"""\\{0,8}["'`]$""")
_FIRST_WORD = re.compile(r"(?i:\b(?:api|access|secret|private|auth|signing|encryption|account)) $")
_OPENS_ELEMENT = re.compile(r"(?:^|[^\w])<(?:[\w-]{1,40}:)?$")
_BLOCK = re.compile(r"(?:[!&]\S{1,40}[ \t]+){0,2}[|>][+-]?\d?[+-]?[ \t]*(?:[#][^\n]*)?$")
_PARAMETER = re.compile(r"""[^&\s"'<>#`]*""")

# Values with a form of their own: what must be in the text, and where the value is in the match.
_USER = r"""(?!\d+:\d+\b)[^\s:"'/]{1,200}:"""
_NETRC = (  # a command over several lines is told on one, with ⏎
    r"(?:\bmachine[\s⏎]{1,40}\S{1,200}|\bdefault)(?:[\s⏎]{1,40}(?:login|account|user)[\s⏎]{1,40}\S{1,200}){0,3}[\s⏎]{1,40}"
)
_FORMS = (
    ("-----BEGIN", r"(?<=-----BEGIN )[A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----(?P<value>.*?)(?=-----END|\Z)"),
    ("eyJ", r"(?<![\w-])(?P<value>eyJ[\w-]{5,}+\.[\w-]{5,}+(?:\.[\w-]*+)*)"),
    ("://", r"""://(?![^\s/:@]{1,200}+:\d+/)(?P<value>[^\s/:@"'<>`]{0,200}+:[^\s"'<>`@]{0,200}+(?:@[^\s/"'<>`@]{1,200}+)*)@"""),
    ("://", r"""(?i:https?)://(?P<value>[^\s/@"'<>`]{1,200}+)@"""),
    ("://", r"""[?&](?:[\w.-]{0,60}(?:signature|credential|token)|sig|code|key)=(?P<value>[^&\s"'<>#`]+)"""),
    ("hooks.", r"hooks\.slack\.com/(?:services|workflows)/(?P<value>[\w/-]+)"),
    ("webhooks", r"(?<=api/webhooks/)(?P<value>\d+/[\w-]+)"),
    ("AGE-SECRET", r"(?P<value>AGE-SECRET-KEY-1\w+)"),
    ("-u", r"(?<![\w-])(?:-u|--user|--proxy-user)(?:[ \t=]{1,9}|(?=[\"']))(?P<quote>[\"']?)" + _USER),
    ("-U", r"(?<![\w-])-U[ \t]{1,9}(?P<quote>[\"']?)" + _USER),
    ("sshpass", r"\bsshpass[ \t]{1,9}-p[ \t]{0,9}"),
    ("mysql", r"""\bmysql\w{0,20}\b[^\n|;&]{0,200}?[ \t]-p(?=[^\s])"""),
    ("assw", _NETRC + r"passw(?:or)?d[\s⏎]{1,40}"),
    ("DENTIFIED", r"(?:IDENTIFIED(?: WITH \w{1,40})? (?:BY|AS))[ \t]{1,9}(?=[\"'])"),
)  # fmt: skip
_SCHEME = re.compile(
    r"(?i:\bbearer|\bbasic)[ \t]+(?=[\w.~+/=-]{0,80}?(?:\d|[a-z][A-Z]|[=+_]))(?P<value>[\w.~+/=-]{8,})"
)
_PREFIXES = re.findall(
    r"\S+",
    "sk- sk_live_ sk_test_ rk_live_ whsec_ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- xoxa- xoxb- xoxp- xoxs- xoxe."
    " xapp- AKIA ASIA AIza ya29. hf_ npm_ pypi- dop_v1_ SG. gsk_ xai- lin_api_ tvly- r8_ dckr_pat_ nvapi- shpat_",
)
_PREFIXED = re.compile(
    rf"(?<![\w-])(?P<value>(?:{'|'.join(map(re.escape, _PREFIXES))})(?=[\w.-]{{0,60}}\d|[\w-]{{30}})[\w.-]{{12,}})"
)
_HIDDEN_INSIDE = ("env", "headers", "environment")  # members of messages of which all values are hidden
_OWN_FORMS = [(sign, re.compile(form, re.DOTALL)) for sign, form in _FORMS]


def without_secrets(text: str, start: int = 0) -> str:
    """A text without its secrets, which are searched in all of it; what is before `start` is left out."""
    spans = sorted([*_by_form(text), *_by_name(text)])
    pieces: list[str] = []
    at = start
    for begin, end in spans:
        if end <= at or begin == end:
            continue
        if begin > at or not pieces:
            pieces += [text[at:begin], CONCEALED]
        at = end
    return "".join([*pieces, text[at:]]) if pieces else text[start:]


def without_values(text: str, values: Iterable[str]) -> str:
    """A text without these values, whatever they look like."""
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, CONCEALED)
    return text


def masked_words(words: Iterable[str]) -> list[str]:
    """The words of a command without secrets: values of options, of variables, in addresses, headers and texts."""
    shown: list[str] = []
    before = ""
    for word in words:
        name, to, value = word.partition("=")
        is_option = name.startswith("-")
        if before and not is_option:
            user, colon, _ = word.partition(":")
            shown.append(CONCEALED if before == "value" else f"{user}:{CONCEALED}" if colon else word)
        elif (
            to and value and re.fullmatch(r"[\w.:/@-]{1,200}", name) and (option_asks if is_option else is_secret)(name)
        ):
            shown.append(f"{name}={CONCEALED}")
        else:
            shown.append(without_secrets(word))
        login = word in ("-u", "-U", "--user", "--proxy-user")
        before = "login" if login else "value" if is_option and not to and option_asks(word) else ""
    return shown


def masked_values(variables: Mapping[str, str]) -> dict[str, str]:
    """Names with masks for values: nobody can tell which of them are secret."""
    return dict.fromkeys(variables, CONCEALED)


def masked_value(value: object) -> object:
    """A text, words of a command, or what is no secret."""
    if isinstance(value, str):
        return without_secrets(value)
    return tuple(masked_words(value)) if isinstance(value, list | tuple) else value


def masked_data(value: Any, *, hide: bool = False) -> Any:
    """JSON data without secrets; `hide` hides all of its texts and numbers. A list of texts may be a command."""
    match value:
        case dict():
            return {name: masked_data(item, hide=_hides_in(name, item, value, hide)) for name, item in value.items()}
        case list() if all(isinstance(item, str) for item in value):
            return [CONCEALED] * len(value) if hide else masked_words(value)
        case list():
            return [masked_data(item, hide=hide) for item in value]
        case bool() | None:
            return value
    if hide:
        return CONCEALED
    return without_secrets(value) if isinstance(value, str) else value


def _hides_in(name: str, item: Any, members: dict[str, Any], hidden: bool) -> bool:
    """Whether all of a member is hidden: by its name, or as the value of a pair of a name and a value."""
    if name in ("name", "key") and "value" in members:
        return False
    if name == "value" and isinstance(named := members.get("name", members.get("key")), str):
        name = named
    return hidden or name.lower() in _HIDDEN_INSIDE or hides(name, item if isinstance(item, str) else "")


def _by_form(text: str) -> Iterator[Span]:
    for sign, form in _OWN_FORMS:
        if sign in text:
            for match in form.finditer(text):
                yield match.span("value") if "value" in form.groupindex else _word(text, match)
    if any(prefix in text for prefix in _PREFIXES):
        yield from (match.span("value") for match in _PREFIXED.finditer(text))
    low = text.lower()
    if "bearer" in low or "basic" in low:
        yield from (match.span("value") for match in _SCHEME.finditer(text))


def _word(text: str, match: re.Match[str]) -> Span:
    quote = match.groupdict().get("quote")
    if quote:
        end = text.find(quote, match.end(), line_end := _line_end(text, match.end()))
        return match.end(), end if end >= 0 else line_end
    return _option_value(text, match.end())


def _by_name(text: str) -> Iterator[Span]:
    low = text.lower() if "\u0130" not in text else text.replace("\u0130", "I").lower()  # the one that gets longer
    sets = "ENV" in text or "setx" in low or "config" in low
    done = 0
    for hit in _hits(low):
        if hit < done or (rest := _REST.match(text, hit)) is None:
            continue
        begin, end = hit, rest.end(1)
        while begin > max(done, hit - _NAME_BEGINS) and (text[begin - 1].isalnum() or text[begin - 1] in _WORD_SIGNS):
            begin -= 1
        done = end
        if text[begin] != "-" and not sets and rest.lastindex == 1:
            continue
        if text[begin - 1 : begin] == " " and (first := _FIRST_WORD.search(text, max(0, begin - 12), begin)):
            begin = first.start()
        name = text[begin:end][-200:]
        span = _value(text, name, begin, end) if may_name_secret(name) else None
        if span is not None and span[1] > span[0]:
            yield span
            done = max(end, span[1])


def _hits(low: str) -> list[int]:
    found: list[int] = []
    for word in _IN_NAMES:
        at = low.find(word)
        while at >= 0:
            found.append(at)
            at = low.find(word, at + len(word))
    return sorted(found)


def _value(text: str, name: str, begin: int, end: int) -> Span | None:
    """Where the value of a name is, which stands at `begin` to `end`, if it has one that is a secret."""
    option = name.startswith("--") or (name[0] == "-" and begin > 0 and text[begin - 1] in " \t\"'`")
    if text[begin - 1 : begin] in ("<", ":") and _OPENS_ELEMENT.search(text, max(0, begin - 42), begin):
        return _element(text, end) if is_secret(name) else None
    if (match := _ASSIGNED.match(text, end)) is not None:
        at = match.end()
        value = _end(_QUOTE, text, at)
        known = option_asks(name) if option else hides(name, text[value : value + 60])
        if not known or _HARMLESS.match(text, at) or (name[-1] in "sS" and _COUNT.match(text, at)):
            return None
        word = option and "=" in match[0]
        return _option_value(text, at) if word else _assigned_value(text, begin, at, quoted=bool(match["close"]))
    if option:
        match = _OPTION.match(text, end) if option_asks(name) else None
        return _option_value(text, match.end()) if match is not None else None
    if not is_secret(name):
        return None
    match = _PAIRED.match(text, end)
    match = match if match is not None and _NAMED.search(text, max(0, begin - 30), begin) else None
    match = match or (_CALLED.match(text, end) if text[begin - 2 : begin - 1] == "(" else None)
    match = match or (_SAID.match(text, end) if "pass" in name.lower() else None)
    if match is not None:
        return _assigned_value(text, begin, match.end(), quoted=True)
    if text[end : end + 1] == " " and _SETS.search(text, max(0, begin - 120), begin):
        return _assigned_value(text, begin, end + 1, quoted=True)
    return None


def _element(text: str, end: int) -> Span | None:
    match = _ELEMENT.match(text, end)
    if match is None or match["data"] is None:
        return match.span("value") if match is not None else None
    closed = text.find("]]>", match.end())
    return match.end(), closed if closed >= 0 else len(text)


def _option_value(text: str, at: int) -> Span:
    if (quote := _QUOTE.match(text, at)) is not None:
        return quote.end(), _quoted_end(text, quote)
    return at, _end(_ONE_WORD, text, at)


def _assigned_value(text: str, begin: int, at: int, *, quoted: bool) -> Span | None:
    """From `at` to the end of the quote, the brackets, the quote around both name and value, the line or the block.

    `quoted` tells that a quote ends with the name, which stands at `begin`.
    """
    if (quote := _QUOTE.match(text, at)) is not None:
        return quote.end(), _quoted_end(text, quote)
    if text[at : at + 1] in ("[", "(", "{"):
        if (brackets := _BRACKETS.match(text, at)) is not None:
            return at + 1, brackets.end() - 1
        if text[at] == "{":
            return None  # names in it decide
    if text[begin - 1 : begin] in ("?", "&") and text[at - 1] == "=":
        return at, _end(_PARAMETER, text, at)
    around = None if quoted else _AROUND.search(text, max(0, begin - 9), begin)
    if around is not None and (end := text.find(around[0], at, _line_end(text, at))) >= 0:
        return at, end
    return _rest_of_line(text, begin, at)


def _quoted_end(text: str, quote: re.Match[str]) -> int:
    """Where a quoted value ends, with all that a shell or a compiler would join with it; without an end, its line."""
    while True:
        closed = _closed(text, quote)
        if closed is None:
            return _line_end(text, quote.end())
        end = closed - len(quote["quote"])
        more = None if quote["escapes"] else _MORE.match(text, closed)
        if more is None:
            return end
        following = _QUOTE.match(text, more.end())
        if following is None:
            return more.end()
        quote = following


def _closed(text: str, quote: re.Match[str]) -> int | None:
    sign = quote["quote"]
    if len(sign) == 1:
        match = _ENDS[sign].match(text, quote.end())
        return match.end() if match is not None else None
    at = text.find(sign, quote.end())
    while at >= 0 and text[at - 1] == "\\":
        at = text.find(sign, at + 1)
    return at + len(sign) if at >= 0 else None


def _rest_of_line(text: str, begin: int, at: int) -> Span | None:
    """The rest of a line, lines that a backslash joins with it, and what is indented below it."""
    end = _line_end(text, at)
    while text[end - 1] == "\\" and at < end < len(text):
        end = _line_end(text, end + 1)
    line = text.rfind("\n", max(0, begin - 200), begin) + 1
    before = text[line:begin] if line or begin <= 200 else "x" * 200
    indicated = _BLOCK.match(text[at:end]) is not None if end - at < 200 else False
    below = _below(text, end, before) if indicated or _NO_LETTERS.match(before) else end
    if below > end and (indicated or not text[at:end].strip()):
        return end + len(text[end:below]) - len(text[end:below].lstrip()), below
    return None if indicated else (at, max(below, at + len(text[at:end].rstrip())) if below > end else end)


def _below(text: str, end: int, before: str) -> int:
    """Where the lines end that are indented more than a name; line numbers and signs of a diff are no text."""
    prefix, column = len(before.rstrip(" \t-\"'")), len(before.rstrip("\"'"))
    last, at = end, end + 1
    while at < len(text):
        stop = _line_end(text, at)
        if text[at:stop].strip() and text[at + min(prefix, stop - at) : stop].strip():
            if text[at + prefix : min(stop, at + column + 1)].strip():
                break
            last = stop
        elif prefix and text[at:stop].strip() and stop - at < prefix:
            break
        at = stop + 1
    return last


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match is not None else at
