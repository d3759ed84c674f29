"""The grammar of commands that rules may answer: a subset in which every shell starts the same programs, with the same
words, under the same operators, and nothing else.

What is allowed is listed, not what is forbidden: any character without a place in the grammar makes a command unread.
Not covered is `set -k`, which makes variables of words like a=b, and which nobody sets but in a shell's own files.
"""

import shlex
import string
from collections.abc import Sequence

from acp_tui.expressions import expression
from acp_tui.host.rules.command_chain import (
    CommandChain,
    CommandEnvironment,
    CommandPart,
    Operator,
    ShellWord,
    UnreadCommand,
)
from acp_tui.host.rules.shell_words import is_program

MAX_CHARACTERS = 4000
MAX_PARTS = 20

_FOLDERS = ("", "/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/")
SHELLS = frozenset(folder + shell for folder in _FOLDERS for shell in ("bash", "zsh", "sh", "dash"))
_STRING_OPTIONS = frozenset({"-c", "-lc"})
_ESCAPE = expression(r'\\(["\\$])')  # not of a backquote: in double quotes fish takes both signs as they are
_SHELL_STRING = expression(
    r""" *(?P<shell>[a-z/]+) +-l?c +(?:'(?P<single>(?:[^'\\]|\\(?![\\']))*)'|"(?P<double>(?:[^"\\$`!]|\\["\\$])*)") *"""
)

_OPERATORS: tuple[Operator, ...] = ("&&", "||", ";", "|", "\n")
_JOINED: tuple[Operator, ...] = ("&&", "||", "|")  # a newline behind these is a blank
_ENDS = frozenset(" ;|&\n") | {""}

_LETTERS = string.ascii_letters + string.digits
_BARE = frozenset(_LETTERS + "_./:=@%+,-")
_PROGRAM = frozenset(_LETTERS + "_.+-/")
_ESCAPED = frozenset('"\\$')
_REDIRECT = expression(r"(?:2>&1|1?>&2|[12]?> ?/dev/null|< ?/dev/null)(?=[ ;|&\n]|\Z)")
_REDIRECT_START = expression(r"[12]?[<>]")

_SIGNS = {
    "$": "it has a variable",
    "`": "it runs a command inside another",
    "&": "it runs something in the background",
    "<": "it reads from a file or a heredoc",
    ">": "it writes to a file",
    "#": "it has a comment",
    "!": "it has an exclamation mark",
    "\\": "it has a backslash outside quotes",
    "\n": "it has a newline where a command should be",
    "'": "it has quotes in an unexpected place",
    '"': "it has quotes in an unexpected place",
    "=": "it sets a variable",
    "%": "it has a word that begins with %",
    "": "it ends before its last command",
    **dict.fromkeys(";|", "it has an operator without a command"),
    **dict.fromkeys("()", "it has parentheses"),
    **dict.fromkeys("{}", "it has braces"),
    **dict.fromkeys("*?[]", "it has a file pattern"),
    **dict.fromkeys("~^", "it has a character that shells expand"),
}


class _Unread(Exception):
    """The reason of an `UnreadCommand`, on its way out."""


def read_command(command: str, environment: CommandEnvironment) -> CommandChain | UnreadCommand:
    """The simple commands of a command line, or of the string that it gives to a shell with -c; else why not."""
    try:
        _check_size(len(command), environment)
        return _Scanner(_string_of_shell(command), environment).chain()
    except _Unread as unread:
        return UnreadCommand(str(unread))


def read_argument_list(argv: Sequence[str], environment: CommandEnvironment) -> CommandChain | UnreadCommand:
    """The same of a command as a list: the string that it gives to a shell with -c, or one part, as it is."""
    try:
        _check_size(sum(map(len, argv)), environment)
        if len(argv) == 3 and argv[0] in SHELLS and argv[1] in _STRING_OPTIONS:
            return _Scanner(argv[2], environment).chain()
        return CommandChain((_listed_part(argv),))
    except _Unread as unread:
        return UnreadCommand(str(unread))


def _check_size(characters: int, environment: CommandEnvironment) -> None:
    if environment.windows:
        raise _Unread("rules don't cover commands on Windows")
    if characters > MAX_CHARACTERS:
        raise _Unread(f"it is longer than {MAX_CHARACTERS:,} characters")


def _listed_part(argv: Sequence[str]) -> CommandPart:
    program, *words = argv or ("",)
    for word in argv:
        if not word.isprintable():
            raise _Unread("it has a control character")
    part = CommandPart(program, tuple(ShellWord(word, quoted=True) for word in words), source=shlex.join(argv))
    if not _PROGRAM.issuperset(program):
        raise _Unread("its program has a special character in its name")
    return _checked(part)


def _checked(part: CommandPart) -> CommandPart:
    name = part.program
    if not name or name[0] in "-+" or name.rsplit("/", 1)[-1] in ("", ".", ".."):
        raise _Unread("its program has no name")
    if not is_program(name, part.words):
        raise _Unread(f"it uses {name}, which is built into shells")
    return part


def _string_of_shell(command: str) -> str:
    """The command in `SHELL -c 'STRING'`, if it is exactly that; else the command itself."""
    match = _SHELL_STRING.fullmatch(command)
    if match is None or match["shell"] not in SHELLS:
        return command
    return match["single"] if match["double"] is None else _ESCAPE.sub(r"\1", match["double"])


class _Scanner:
    """Reads a chain once, from its first character to its last."""

    def __init__(self, text: str, environment: CommandEnvironment) -> None:
        self._text, self._environment, self._at = text, environment, 0

    def chain(self) -> CommandChain:
        """The whole text; raises `_Unread`."""
        parts: list[CommandPart] = []
        operator: Operator = ""
        folder = ""
        self._skip(" ")
        while True:
            part = self._part(operator)
            operator = self._operator()
            if part.program == "cd":
                folder = self._folder(part, operator)
            else:
                parts.append(_checked(part))
            self._skip(" \n" if operator in _JOINED else " ")
            if not operator or (operator == ";" and not self._sign):
                return CommandChain(tuple(parts), folder)
            if len(parts) + bool(folder) >= MAX_PARTS:
                raise _Unread(f"it has more than {MAX_PARTS} commands")

    @property
    def _sign(self) -> str:
        return self._text[self._at : self._at + 1]

    def _skip(self, signs: str) -> bool:
        start = self._at
        while self._sign and self._sign in signs:
            self._at += 1
        return self._at > start

    def _run(self, signs: frozenset[str]) -> str:
        start = self._at
        while self._sign in signs:
            self._at += 1
        return self._text[start : self._at]

    def _refuse(self) -> _Unread:
        sign = self._sign
        if sign.isascii() and (sign.isprintable() or sign == "\n"):
            return _Unread(_SIGNS.get(sign, "it has a special character in an unexpected place"))
        return _Unread("it has a letter outside ASCII" if sign.isprintable() else "it has a control character")

    def _operator(self) -> Operator:
        for operator in _OPERATORS:
            if self._text.startswith(operator, self._at):
                self._at += len(operator)
                return operator
        if self._sign:
            raise self._refuse()
        return ""

    def _part(self, operator: Operator) -> CommandPart:
        """A program with its words; the place is behind its redirects and blanks."""
        start = self._at
        program = self._run(_PROGRAM)
        if not program or self._sign not in _ENDS:
            raise self._refuse()
        end, words, redirected = self._at, list[ShellWord](), False
        while self._skip(" ") and self._sign not in _ENDS:
            if _REDIRECT_START.match(self._text, self._at):
                self._redirect()
                redirected = True
            elif redirected:
                raise _Unread("it has a word after a redirect")
            else:
                words.append(self._word())
                end = self._at
        return CommandPart(program, tuple(words), operator, self._text[start:end])

    def _redirect(self) -> None:
        redirect = _REDIRECT.match(self._text, self._at)
        if redirect is None:
            self._run(frozenset("12"))
            raise self._refuse()
        self._at = redirect.end()

    def _folder(self, part: CommandPart, operator: Operator) -> str:
        """The word of a `cd` that begins the chain."""
        folder = part.words[0].text if len(part.words) == 1 else ""
        if part.operator or operator != "&&" or not folder or folder[0] in "-+":
            raise _Unread("it changes the folder in a way that rules do not follow")
        if self._environment.cdpath and not folder.startswith("./"):
            raise _Unread("CDPATH is set, which can lead cd elsewhere")
        return folder

    def _word(self) -> ShellWord:
        pieces: list[str] = []
        quote, last, quoted = "", "", False
        while (sign := self._sign) not in _ENDS:
            if sign == "'" == quote:
                raise _Unread("it has two quoted texts side by side")
            piece = self._single() if sign == "'" else self._double() if sign == '"' else self._bare(last)
            pieces.append(piece)
            quote, last, quoted = sign, piece[-1:] or last, quoted or sign in "'\""
        return ShellWord("".join(pieces), quoted)

    def _bare(self, last: str) -> str:
        """Signs without quotes, behind `last`. With MAGIC_EQUAL_SUBST zsh makes a path of the x in `=x`, `a==x` and
        `a=b:=x`, whether quotes stand before that sign or not.
        """
        if not last and self._sign in ("=", "%"):
            raise _Unread(f"it has a word that begins with {self._sign}")
        run = self._run(_BARE)
        if not run:
            raise self._refuse()
        if "==" in last + run or ":=" in last + run:
            raise _Unread("it has an = that shells may expand")
        return run

    def _printable(self, text: str) -> str:
        if not text.isprintable():
            raise _Unread("it has a newline in quotes" if "\n" in text else "it has a control character")
        if not text.isascii() and not self._environment.utf8:
            raise _Unread("it has a letter outside ASCII, and the locale is not UTF-8")
        return text

    def _single(self) -> str:
        start = self._at + 1
        end = self._text.find("'", start)
        if end < 0:
            raise _Unread("it has an unclosed quote")
        self._at = end + 1
        if "\\\\" in self._text[start:end] or self._text[end - 1] == "\\":
            raise _Unread("it has a backslash that shells read differently")
        return self._printable(self._text[start:end])

    def _double(self) -> str:
        signs: list[str] = []
        self._at += 1
        while (sign := self._sign) != '"':
            if not sign:
                raise _Unread("it has an unclosed quote")
            if sign in "`!" or (sign == "$" and self._text[self._at + 1 : self._at + 2] != '"'):
                raise self._refuse()
            signs.append(self._escape() if sign == "\\" else self._printable(sign))
            self._at += 1
        self._at += 1
        return "".join(signs)

    def _escape(self) -> str:
        """The sign or signs for a backslash and what is behind it, at which the place is then."""
        self._at += 1
        sign = self._sign
        if not (sign.isascii() and sign.isprintable()) or sign in "`!":
            raise self._refuse()
        return sign if sign in _ESCAPED else f"\\{sign}"
