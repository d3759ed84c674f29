"""Programs that only read: which calls of them write nothing, start nothing, and read below the session's folders.

What is listed counts, nothing else: each option of each program, and what its other words may be. The tables hold for
GNU, BSD and BusyBox; where an option means different things, it is not in them.
"""

import os
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from acp_tui.frozen import Frozen
from acp_tui.host.rules.command_chain import CommandPart, CommandPlace
from acp_tui.host.rules.git_readers import git_problem
from acp_tui.host.rules.path_words import file_problem, lies_in, path_problem
from acp_tui.host.rules.reader_options import ReaderWords, Style, read_words, unlisted
from acp_tui.safe_text import named

_SUMS = "-btz --binary --text --tag --zero"
_LINES = "-n=# -c=# -qvz -# --lines=# --bytes=# --quiet --silent --verbose --zero-terminated"
_GREP = """-EFGPivwxclLnHhoqsraIUzbT -# -e=~ -A=# -B=# -C=# -m=# --regexp=~ --include=~ --exclude=~ --exclude-dir=~
    --color[=] --colour[=] --line-number --ignore-case --no-ignore-case --recursive --only-matching --count --quiet
    --silent --files-with-matches --files-without-match --invert-match --word-regexp --line-regexp --no-filename
    --with-filename --max-count=# --after-context=# --before-context=# --context=# --extended-regexp --fixed-strings
    --basic-regexp --perl-regexp --no-messages --text --null --null-data --byte-offset --initial-tab
    --binary-files=~ --line-buffered"""
_RG = """-isSvwxclnNHIoqFPUu0ap. -e=~ -g=~ -t=~ -T=~ -A=# -B=# -C=# -m=# -M=# -d=# -j=# -r=~ -E=~ --files --hidden
    --no-hidden --no-ignore --no-ignore-vcs --no-ignore-parent --no-ignore-dot --no-ignore-global --unrestricted
    --glob=~ --iglob=~ --type=~ --type-not=~ --type-list --count --count-matches --files-with-matches
    --files-without-match --line-number --no-line-number --heading --no-heading --color=~ --colors=~ --context=#
    --after-context=# --before-context=# --max-count=# --max-depth=# --max-filesize=# --max-columns=# --ignore-case
    --smart-case --case-sensitive --word-regexp --line-regexp --fixed-strings --pcre2 --multiline --multiline-dotall
    --only-matching --replace=~ --json --stats --vimgrep --trim --null --null-data --sort=~ --sortr=~ --threads=#
    --no-messages --no-config --no-filename --with-filename --invert-match --text --passthru --regexp=~ --quiet
    --column --no-column --byte-offset --pretty --encoding=~ --crlf --one-file-system --no-require-git
    --line-buffered --max-columns-preview --glob-case-insensitive --binary --context-separator=~
    --field-match-separator=~"""
_DIFF = """-ucqsybwBiEZatTpNden -U=# -C=# -W=# -L=~ --unified[=] --context[=] --brief --color[=] --side-by-side
    --width=# --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-trailing-space
    --ignore-tab-expansion --ignore-case --strip-trailing-cr --suppress-common-lines --left-column --minimal
    --label=~ --text --report-identical-files --expand-tabs --initial-tab --new-file --show-c-function --normal --ed
    --rcs"""
_LS = """-aAlh1trRSdFispngoGcuUXvbBCfkmNqQx --all --almost-all --color[=] --human-readable --recursive --size
    --reverse --sort=~ --time=~ --time-style=~ --group-directories-first --full-time --classify --directory --inode
    --format=~ --ignore=~ --hide=~ --si --no-group --numeric-uid-gid --file-type --indicator-style=~ --literal
    --quote-name --escape --kibibytes --ignore-backups --author"""
_SORT = """-bdfgiMhnRrVcCmsuz -k=~ -t=~ --key=~ --field-separator=~ --reverse --numeric-sort --general-numeric-sort
    --human-numeric-sort --version-sort --month-sort --unique --ignore-case --ignore-leading-blanks
    --dictionary-order --stable --check[=] --zero-terminated --merge --ignore-nonprinting --sort=~"""
_UNIQ = """-cduiDz -f=# -s=# -w=# --count --repeated --unique --ignore-case --skip-fields=# --skip-chars=#
    --check-chars=# --zero-terminated"""
_CUT = """-snz -b=~ -c=~ -d=~ -f=~ --bytes=~ --characters=~ --delimiter=~ --fields=~ --only-delimited --complement
    --output-delimiter=~ --zero-terminated"""
_NL = "-p -b=~ -d=~ -f=~ -h=~ -i=# -l=# -n=~ -s=~ -v=# -w=# --body-numbering=~ --number-format=~ --number-width=#"
_OD = "-abcdfilosxv -A=~ -t=~ -j=# -N=# -w[=] --address-radix=~ --format=~ --skip-bytes=# --read-bytes=# --width[=]"
_JQ = """-rcesnMCSRja --tab --indent=# --raw-output --compact-output --slurp --null-input --raw-input --sort-keys
    --color-output --monochrome-output --exit-status --join-output --ascii-output --stream --seq"""
_DU = """-achkmsSxb0 -d=# -t=# --max-depth=# --exclude=~ --apparent-size --total --summarize --human-readable --all
    --bytes --one-file-system --separate-dirs --si --threshold=# --null"""
_TREE = """-adfishDFpugCnNqrtvcUxJX -L=# -P=~ -I=~ --dirsfirst --noreport --filelimit=# --gitignore --prune --charset=
    --du --si --sort= --matchdirs --ignore-case --inodes --device --nolinks"""

# A program, `|` if it may stand behind a pipe, what its words are (`_Reader`), and its options.
_TABLE = f"""
cat       | paths    -AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs
                     --show-nonprinting
head      | paths    {_LINES}
tail      | paths    {_LINES}
wc        | paths    -cmlLw --bytes --chars --lines --max-line-length --words
nl        | paths    {_NL}
tac       | paths    -br -s=~ --before --regex --separator=~
rev       | paths
fold      | paths    -bs -w=# --bytes --spaces --width=#
expand    | paths    -i -t=~ --initial --tabs=~
paste     | paths    -sz -d=~ --serial --delimiters=~ --zero-terminated
comm      | paths:2  -123z --check-order --nocheck-order --output-delimiter=~ --total --zero-terminated
od        | paths    {_OD}
hexdump   | paths    -bcCdoxv -n=# -s=#
strings   | strings  -afow -n=# -t=~ -e=~ -# --all --print-file-name --bytes=# --radix=~ --encoding=~
md5sum    | paths    {_SUMS}
sha1sum   | paths    {_SUMS}
sha224sum | paths    {_SUMS}
sha256sum | paths    {_SUMS}
sha384sum | paths    {_SUMS}
sha512sum | paths    {_SUMS}
sum       | paths    -rs --sysv
cksum     | paths
cut       | paths    {_CUT}
tr        | text:2   -cCdst --complement --delete --squeeze-repeats --truncate-set1
uniq      | paths:1  {_UNIQ}
sort      | paths    {_SORT}
grep      | pattern  {_GREP}
rg        | pattern  {_RG}
sed       | script   -nEr -e=~ --quiet --silent --regexp-extended --expression=~
diff      | files:2  {_DIFF}
jq        | filter   {_JQ}
echo      | echo
true      | echo
false     | echo
ls        . paths    {_LS}
pwd       . paths:0  -LP
stat      . paths    -ft -c=~ --format=~ --printf=~ --terse --file-system
file      . paths    -bih
du        . paths    {_DU}
df        . paths    -hHkmTialP -t=~ -x=~ --human-readable --print-type --inodes --all --local --portability --total
tree      . paths    {_TREE}
find      . find
basename  . text     -az -s=~ --multiple --suffix=~ --zero
dirname   . text     -z --zero
realpath  . paths    -emqszLP --relative-to= --relative-base= --canonicalize-existing --canonicalize-missing --quiet
                     --strip --no-symlinks --logical --physical --zero
readlink  . paths    -femnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline
cmp       . files:2  -bls -i=# -n=# --print-bytes --verbose --quiet --silent --bytes=# --ignore-initial=#
date      . date     -uR -I[=] --utc --universal --iso-8601[=] --rfc-email --rfc-3339=~
which     . names    -a
type      . names    -atp
command   . names    -v
uname     . paths:0  -asnrvmpio --all --kernel-name --nodename --kernel-release --kernel-version --machine
                     --processor --operating-system
whoami    . paths:0
id        . names    -ugGnrz --user --group --groups --name --real --zero
nproc     . paths:0  --all --ignore=#
seq       . numbers  -w -s=~ --equal-width --separator=~
sleep     . seconds
test      . test
printf    . printf
"""
_WITHOUT_PATTERN = {"-e", "--regexp", "--files", "--type-list"}
_WITHOUT_FILE = {"grep": {"-r", "--recursive"}, "jq": {"-n", "--null-input"}}  # which they would wait for else
_ADDRESS = r"(?:[0-9]+|\$|/[^/\\\[\n]+/)"
_SCRIPT = re.compile(rf"{_ADDRESS}(?:,(?:\+[0-9]+|{_ADDRESS}))?p")
_FILTER_WORDS = re.compile(
    r"\b(?:import|include|env|ENV|modulemeta|get_search_list|input_filename|def|repeat|while|until|range|recurse)\b"
)  # the last of these may not end
_CONVERSION = re.compile(r"%[-+ #0]*[0-9]*(?:\.[0-9]+)?[sbcdiuoxXeEfFgGq%]")
_ENTRIES_AT_MOST = 50_000  # of folders, which take 60 ms
_NAME = re.compile(r"[A-Za-z0-9_.+][A-Za-z0-9_.+-]*")
_FIGURE = re.compile("[0-9]{1,6}")
_SECONDS = re.compile(r"[0-9]{1,2}(?:\.[0-9]+)?s?|\.[0-9]+s?")
_FIND_PLAIN = """-print -print0 -prune -empty -true -false -depth -mount -xdev -not -and -or -a -o ! ( ) , -readable
    -writable -executable -nouser -nogroup -daystart -noleaf -ls -quit"""
_FIND_TEXT = """-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size -mtime
    -mmin -atime -amin -ctime -cmin -perm -user -group -uid -gid -links -inum -maxdepth -mindepth -printf
    -regextype -fstype -used"""
_FIND_PATH = "-newer -anewer -cnewer -samefile"
_FIND_NEWER = re.compile("-newer[aBcm][aBcmt]")


class _Reader(Frozen):
    """A row of the table: whether it is a filter, what its words are and how many it has at most, its options."""

    filters: bool
    kind: str
    most: int
    options: str


@lru_cache(maxsize=1)
def _readers() -> dict[str, _Reader]:
    rows = {}
    for row in re.split(r"\n(?=\S)", _TABLE.strip()):
        name, pipe, kind, *options = row.split(maxsplit=3)
        kind, _, most = kind.partition(":")
        rows[name] = _Reader(pipe == "|", kind, int(most or 10_000), options[0] if options else "")
    return rows


def reader_names() -> frozenset[str]:
    """The programs of the table, git with them."""
    return frozenset({*_readers(), "git"})


def reader_problem(part: CommandPart, place: CommandPlace) -> str:
    """Why a part of a command does more than read, or reads elsewhere, for the screen; empty if it only reads."""
    if place.environment.windows:
        return "commands are not read on Windows"
    reader = _readers().get(part.program)
    if reader is None and part.program != "git":
        return f"{named(part.program[:40])} is not in the list of read-only programs"
    if part.piped and (reader is None or not reader.filters):
        return f"{part.program} stands behind a pipe"
    if (found := _found(part.program, place)) and _lies_in_roots(found, place):
        return f"the project has a {part.program} of its own in PATH"
    if not _lies_in_roots(place.folder, place):
        return "it runs outside the folders"
    words = part.argv[1:]
    if reader is None:
        return git_problem(words, place)
    if part.program == "rg" and place.environment.ripgrep_config:
        return "RIPGREP_CONFIG_PATH is set"
    match reader.kind:
        case "find":
            return _find_problem(words, place)
        case "test":
            return _test_problem(part, place)
        case "echo":
            return ""
        case "printf":
            return _printf_problem(words)
    return _words_problem(reader, part, place)


def _found(program: str, place: CommandPlace) -> str:
    """The first program of that name on the search path; one in the session's folders, even if it cannot be run."""
    for entry in place.environment.path.split(os.pathsep) if place.environment.path else ():
        path = os.path.join(place.folder, entry, program)  # noqa: PTH118 (an empty entry is the current folder)
        runs = os.path.isfile(path) and os.access(path, os.X_OK)  # noqa: PTH113 (a text)
        if runs or (os.path.lexists(path) and _lies_in_roots(path, place)):
            return path
    return ""


def _lies_in_roots(path: str, place: CommandPlace) -> bool:
    return any(lies_in(os.path.realpath(path), root) for root in place.roots)


def _is_gnu(grep: str) -> bool:
    """Whether it is the usual one of Linux, and not a name for BusyBox or toybox."""
    return sys.platform == "linux" and os.path.basename(os.path.realpath(grep)) == "grep"  # noqa: PTH119 (a text)


def _leads_out(paths: Iterable[str], place: CommandPlace) -> bool:
    """Whether what is below has a link to another file than may be read, or more entries than are looked at.

    The `grep -r` of BSD, of a Mac, of BusyBox and of toybox reads the files that links lead to.
    """
    rest = [os.path.join(place.folder, path) for path in paths]  # noqa: PTH118 (texts)
    seen = 0
    while rest:
        with suppress(OSError), os.scandir(rest.pop()) as entries:
            for entry in entries:
                seen += 1
                if seen > _ENTRIES_AT_MOST or (entry.is_symlink() and file_problem(entry.path, place)):
                    return True
                if entry.is_dir(follow_symlinks=False):
                    rest.append(entry.path)
    return not place.settled


def _words_problem(reader: _Reader, part: CommandPart, place: CommandPlace) -> str:
    """As programs of GNU find their options, also behind other words, and as those of BSD do: it only reads in both."""
    program, words = part.program, part.argv[1:]
    if program == "jq" and "--" in words:
        return unlisted("--")
    style: Style = "tree" if program == "tree" else "getopt"
    ways = [read_words(reader.options, words, style=style, stops=stops) for stops in (False, True)]
    problems = (read.problem or _reading_problem(reader, part, read, place) for read in dict.fromkeys(ways))
    return next(filter(None, problems), "")


def _reading_problem(reader: _Reader, part: CommandPart, read: ReaderWords, place: CommandPlace) -> str:
    operands = _operands(reader, part.program, read)
    if isinstance(operands, str):
        return operands
    if len(operands) > reader.most:
        return f"{part.program} has too many words"
    if not part.piped and _waits(reader, part.program, read, operands):
        return f"{part.program} waits for input"
    for path in () if reader.kind == "text" else (*operands, *read.paths):
        if problem := file_problem(path, place):
            return problem
    searches = part.program == "grep" and {"-r", "--recursive"} & {*read.options}
    if searches and not _is_gnu(_found("grep", place)) and _leads_out(operands or ("",), place):
        return "grep may read through links"
    if reader.kind == "files" and any(Path(place.folder, path).is_dir() for path in operands):
        return f"{part.program} compares folders"  # and reads through the links in them
    return ""


def _waits(reader: _Reader, program: str, read: ReaderWords, operands: tuple[str, ...]) -> bool:
    """Whether it reads its standard input, which may never end. Ripgrep alone decides by what that is."""
    if "-" in operands or (reader.filters and reader.kind == "text"):
        return True
    if program == "rg" or not (reader.filters or reader.kind == "files"):
        return False
    enough = 2 if reader.kind == "files" else 1
    return len(operands) < enough and not {*read.options} & _WITHOUT_FILE.get(program, set())


def _operands(reader: _Reader, program: str, read: ReaderWords) -> tuple[str, ...] | str:
    """The words that are paths, or why not all words are fine."""
    words, options = read.operands, {*read.options}
    match reader.kind:
        case "pattern":
            return words if options & _WITHOUT_PATTERN else words[1:]
        case "filter":
            return (
                words[1:] if not _FILTER_WORDS.search("".join(words[:1])) else "a jq filter that may do more than read"
            )
        case "script":
            scripts = [text for _, text in read.texts]
            if not scripts:
                scripts, words = [*words[:1]], words[1:]
            prints = options & {"-n", "--quiet", "--silent"} and all(map(_SCRIPT.fullmatch, scripts))
            return words if prints and scripts else "a sed script that may do more than print lines"
        case "strings" if any(word.startswith("@") for word in words):
            return "a file of options (@)"
        case "names" if not all(map(_NAME.fullmatch, words)):
            return f"{program} has no plain name"
        case "names" if program == "command" and (read.options != ("-v",) or len(words) != 1):
            return "command runs a program"
        case "paths" if found := next((word for word in words if word.startswith("+")), ""):
            return unlisted(found)  # `tail +5f` follows
        case "seconds" if len(words) != 1 or not _SECONDS.fullmatch(words[0]):
            return "sleep may take long"
        case "numbers" if len(words) > 3 or not all(map(_FIGURE.fullmatch, words)) or not int((*words, "1", "1")[1]):
            return f"{program} may not end"
        case "date" if len(words) > 1 or not all(word.startswith("+") for word in words):
            return "date may set the clock"
    return () if reader.kind in ("names", "date", "seconds", "numbers") else words


def _find_problem(words: tuple[str, ...], place: CommandPlace) -> str:
    """Of find's expression each word is listed, with the value it takes."""
    plain, texts, paths = _FIND_PLAIN.split(), _FIND_TEXT.split(), _FIND_PATH.split()
    rest = [*words]
    if rest[:1] == ["-P"]:
        rest.pop(0)
    while rest and not rest[0].startswith(("-", "(", ")", "!", ",")):
        if problem := file_problem(rest.pop(0), place):
            return problem
    while rest:
        word = rest.pop(0)
        if word in plain:
            continue
        is_path = word in paths or _FIND_NEWER.fullmatch(word) is not None
        if not rest or not (is_path or word in texts):
            return unlisted(word) if word.startswith("-") else "find has a path behind its tests"
        value = rest.pop(0)
        if is_path and (problem := path_problem(value, place)):
            return problem
    return ""


def _test_problem(part: CommandPart, place: CommandPlace) -> str:
    """`test` evaluates its words in some shells: one plain word behind one listed test."""
    if len(part.words) != 2 or re.fullmatch("-[fdesrwxL]", part.words[0].text) is None:
        return "test has more than one file"
    word = part.words[1]
    plain = not word.quoted and re.fullmatch(r"[A-Za-z0-9_./@%+-]+", word.text) and not word.text.startswith("-")
    return path_problem(word.text, place) if plain else "test has no plain name"


def _printf_problem(words: tuple[str, ...]) -> str:
    """`printf` evaluates what it takes for numbers in some shells, and has options that set variables."""
    if not words or words[0].startswith("-"):
        return "printf has options"
    plain = "%" not in _CONVERSION.sub("", words[0]) and not re.search(r"[$`\[\]()]", "".join(words[1:]))
    return "" if plain else "printf may run its words"
