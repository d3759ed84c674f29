"""Rules held against what a request claims: what they answer, and what can be offered for the rest of it."""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache

from acp_tui.frozen import Frozen
from acp_tui.host.rules.command_chain import (
    CommandChain,
    CommandEnvironment,
    CommandPart,
    CommandPlace,
    UnreadCommand,
)
from acp_tui.host.rules.command_grammar import read_argument_list, read_command
from acp_tui.host.rules.git_readers import NO_REPOSITORY, repository_problem
from acp_tui.host.rules.path_words import (
    file_problem,
    lies_in,
    outside_problem,
    path_problem,
    protected,
    word_problem,
)
from acp_tui.host.rules.program_table import argument_problem, base_name, prefix_of, runs_others, runs_project
from acp_tui.host.rules.reading_programs import reader_problem
from acp_tui.host.rules.request_claim import Command, RequestClaim
from acp_tui.host.rules.rule import READERS, OfferedRule, Rule, RuleOffer, Verdict
from acp_tui.startup import late

WordProblem = Callable[[str, CommandPlace], str]
RUNS_PROJECT = "runs project code that the agent can change"
COVERED = 'already covered, but the agent offers no single "once"'
TOOL_KINDS_COVERED = ("read", "edit", "search", "fetch")  # that a rule for a kind of tool calls may be made for
_FILE_KINDS = ("read", "edit")
_EXPANDED = re.compile(r"[*?]|:/|%[0-9A-Fa-f]{2}|%\w+%|(?:^|/)[~<>|!:]")  # in a path: `~/x`, `file:/x`, `src/*`
_ADDRESS = re.compile(  # by a name in the public network, which those of clouds with credentials in them are not
    r"https?://(?:[\w-]+\.)+(?!(?:local|localhost|internal|lan|home|corp|arpa)\b)[A-Za-z]{2,}(?::\d+)?"
    r"(?:[/?#][\w.~:/?#@!&'()*+,;=%\[\]-]*)?",
    re.ASCII,
)
_BRACES = re.compile(r"\{[^{}]*,")  # which may make a `..` out of dots: `.{.,x}/`
_LAST_BRACES = re.compile(r"[^{}]*\{\w[\w.*-]*(?:,\w[\w.*-]*)*\}")  # `src/*.{ts,tsx}`


class Decision(Frozen):
    """What rules do with a request: the verdict, those that were needed for it, and if `readers` were."""

    verdict: Verdict
    rules: tuple[Rule, ...]
    readers: bool = False


class CoveredPart(Frozen):
    """A part of a chain where it runs: by which `rule` it is allowed, if by one; `reads`: it only reads."""

    part: CommandPart
    place: CommandPlace
    rule: Rule | None
    reads: bool


def decide(
    claim: RequestClaim, rules: Sequence[Rule], environment: CommandEnvironment, *, readers: bool
) -> Decision | None:
    """What these rules, all of which hold for the session, do with a request; None: the user is asked.

    One that rejects a part rejects the whole. Of those that allow a part the first counts.
    """
    if claim.never or claim.problem:
        return None
    rules = [rule for rule in rules if not rule.off and rule.agent in ("", claim.agent)]
    if not claim.command:
        return _file_decision(claim, rules, environment)
    parts = parts_of(claim, rules, environment)
    if isinstance(parts, str):
        return None
    rejecting = [rule for rule in rules if rule.verdict == "reject"]
    if found := next((rule for rule in rejecting for each in parts if _rejects(rule, each.part, each.place)), None):
        return Decision("reject", (found,))
    used: dict[str, Rule] = {}
    by_reader = [readers and each.reads for each in parts]
    for each, reads in zip(parts, by_reader, strict=True):
        if not reads and each.rule is None:
            return None
        if not reads and each.rule is not None:
            used[each.rule.id] = each.rule
    return Decision("allow", tuple(used.values()), any(by_reader))


def parts_of(
    claim: RequestClaim, rules: Sequence[Rule], environment: CommandEnvironment
) -> Sequence[CoveredPart] | str:
    """The parts of a claim's command, each with the first rule that allows it; a text: why it cannot be read."""
    chain = _read(claim.command, environment)
    if isinstance(chain, UnreadCommand):
        return chain.reason
    here = CommandPlace(claim.folder, claim.roots, environment)
    if any(map(_EXPANDED.search, claim.places)):
        return "it names a path with special characters"
    reason = next(filter(None, (path_problem(path, here) for path in claim.places)), "")
    if chain.folder and not reason:
        reason = path_problem(chain.folder, here)
        here = replace(here, folder=os.path.realpath(os.path.join(claim.folder, chain.folder)))  # noqa: PTH118
        reason = reason or ("" if os.path.isdir(here.folder) else "its folder does not exist")  # noqa: PTH112
    if reason:
        return reason
    programs = {part.program for part in chain.parts}
    allowing = [rule for rule in rules if rule.verdict == "allow" and rule.words[0] in programs]
    word = cache(word_problem)  # the same words come again, in other parts and for other rules: each may cost 2 ms
    return [
        CoveredPart(part, place, next((rule for rule in allowing if _allows(rule, part, place, word)), None), reads)
        for part, place, reads in _placed(chain, here)
    ]


@lru_cache(maxsize=512)
def _read(command: Command, environment: CommandEnvironment) -> CommandChain | UnreadCommand:
    if isinstance(command, str):
        return read_command(command, environment)
    return read_argument_list(command, environment)


def _placed(chain: CommandChain, place: CommandPlace) -> Iterator[tuple[CommandPart, CommandPlace, bool]]:
    """Each part with its place, and whether it only reads. What may write unsettles its pipeline and all behind it."""
    pipelines: list[list[CommandPart]] = []
    for part in chain.parts:
        if part.piped and pipelines:
            pipelines[-1].append(part)
        else:
            pipelines.append([part])
    for parts in pipelines:
        reads = [not reader_problem(part, place) for part in parts]
        if place.settled and not all(reads):
            place = replace(place, settled=False)
            reads = [not reader_problem(part, place) for part in parts]
        yield from ((part, place, each) for part, each in zip(parts, reads, strict=True))


def _allows(rule: Rule, part: CommandPart, place: CommandPlace, word_problem: WordProblem = word_problem) -> bool:
    words = part.argv if rule.kind == "exact" else part.argv[: len(rule.words)]
    if rule.kind not in ("exact", "prefix") or rule.words != words or rule.piped != part.piped:
        return False
    if uncovered(part, place) or (runs_project(part) and (rule.scope == "everywhere" or protected(".", place))):
        return False  # in `node_modules` it would run what is not the project's
    if rule.scope == "project":  # which is that of the session's own folder, not of those that were added
        place = replace(place, roots=place.roots[:1])
        if not lies_in(place.folder, place.roots[0]):
            return False
    if rule.kind == "exact":
        return rule.place == place.folder if rule.place else not runs_others(part)
    least = prefix_of(part)
    if not least or runs_others(part) or len(rule.words) < len(least) or argument_problem(part, len(rule.words)):
        return False
    more = [word.text for word in part.words[len(rule.words) - 1 :]]
    return not any(word_problem(word, place) for word in more)


def uncovered(part: CommandPart, place: CommandPlace) -> str:
    """Why no rule covers a part of a chain where it runs, for the screen; empty if one can."""
    name = base_name(part.program)
    if part.piped and (name == "git" or runs_others(part)):
        return "it runs what comes through a pipe"
    if outside := next(filter(None, (outside_problem(word.text, place) for word in part.words)), ""):
        return f"it names {outside}"
    if name == "git":
        bare = replace(place, settled=True, environment=replace(place.environment, git=()))
        problem = repository_problem(bare, compares_files=True)
        return "" if problem == NO_REPOSITORY else problem
    return ""


def _rejects(rule: Rule, part: CommandPart, place: CommandPlace) -> bool:
    """The same for a rule that rejects, which need not be careful: behind a pipe or not, with any words."""
    if rule.kind not in ("exact", "prefix") or (rule.place and rule.place != place.folder):
        return False
    return part.argv == rule.words or (rule.kind == "prefix" and part.argv[: len(rule.words)] == rule.words)


def _file_decision(claim: RequestClaim, rules: Sequence[Rule], environment: CommandEnvironment) -> Decision | None:
    """What rules for folders and for kinds of tool calls do with a call that names no command."""
    mine = [rule for rule in rules if rule.kind in ("folder", "tool") and rule.agent == claim.agent]
    for rule in mine:
        kind, *paths = (rule.action, *rule.words) if rule.kind == "folder" else rule.words
        within = not paths or any(_is_under(path, paths[0]) for path in claim.places)
        if rule.verdict == "reject" and kind == claim.kind and within:
            return Decision("reject", (rule,))
    if files_problem(claim, environment):
        return None
    allowing = (rule for rule in mine if rule.verdict == "allow" and _allows_files(rule, claim))
    found = next(allowing, None)
    return None if found is None else Decision("allow", (found,))


def _allows_files(rule: Rule, claim: RequestClaim) -> bool:
    if rule.kind == "tool":
        return rule.words == (claim.kind,) and claim.kind in TOOL_KINDS_COVERED
    if rule.action != claim.kind or claim.kind not in _FILE_KINDS or claim.addresses or claim.patterns:
        return False
    return bool(claim.places) and all(_is_under(path, rule.words[0]) for path in claim.places)


def files_problem(claim: RequestClaim, environment: CommandEnvironment) -> str:
    """Why no rule can cover what a call without a command does to files, in words."""
    if claim.kind not in TOOL_KINDS_COVERED:
        return "unsupported kind of request"
    if claim.removes:
        return "it deletes or moves files"
    if claim.kind in _FILE_KINDS and not claim.places:
        return "it names no file"
    if not (claim.places or claim.addresses or claim.patterns):
        return "it names nothing that rules can check"
    if (claim.addresses and claim.kind != "fetch") or (claim.patterns and claim.kind == "edit"):
        return "it names more than files"
    if not all(map(_ADDRESS.fullmatch, claim.addresses)):
        return "it contains a URL that rules do not cover"
    if claim.kind == "fetch" and claim.places:
        return "it saves what it fetches"
    if claim.kind == "edit" and any(map(os.path.isdir, claim.places)):
        return "it names a folder"
    if any(map(_is_expanded, (*claim.places, *claim.patterns))) or any(map(_EXPANDED.search, claim.places)):
        return "it names a path that tools may expand"
    place = CommandPlace(claim.folder, claim.roots, environment)
    patterns = claim.patterns if claim.kind != "fetch" else ()
    problems = (path_problem(path, place) or protected(path, place) for path in claim.places)
    return next(filter(None, (*problems, *(file_problem(pattern, place) for pattern in patterns))), "")


def _is_expanded(text: str) -> bool:
    """Whether a tool may read another path out of a text: a variable, quotes, an address, blanks around a name."""
    odd = any(sign in text for sign in "$\\\"'`") or not text.isprintable() or "://" in text
    braces = "{/" in text or (_BRACES.search(text) is not None and _LAST_BRACES.fullmatch(text) is None)
    return odd or braces or any(name != name.strip() or name[:1] == "@" for name in text.split("/"))


def _is_under(path: str, folder: str) -> bool:
    """Whether a path leads into a folder, which must not have become a link since the rule was made."""
    real = os.path.realpath(path)
    within = real == folder or real.startswith(f"{folder.rstrip('/')}/")
    return within and os.path.realpath(folder) == folder


def offer_of(
    claim: RequestClaim, rules: Sequence[Rule], environment: CommandEnvironment, project: str, *, readers: bool
) -> RuleOffer:
    """The rules that could be made for what none of `rules` covers, for a session that works in `project`."""
    if claim.never or claim.problem:
        return RuleOffer(reason=claim.problem or "only you can answer this")
    rules = [rule for rule in rules if not rule.off and rule.agent in ("", claim.agent)]
    if not claim.command:
        return _files_offer(claim, rules, environment, project)
    parts = parts_of(claim, rules, environment)
    if isinstance(parts, str):
        return RuleOffer(reason=parts)
    left = {
        (each.part.argv, each.part.piped): each for each in parts if each.rule is None and not (readers and each.reads)
    }
    if any(_has_secret(each.part) for each in left.values()):
        return RuleOffer(reason="it contains a secret, which the rule would store")
    if reason := next(filter(None, (uncovered(each.part, each.place) for each in left.values())), ""):
        return RuleOffer(reason=reason, readers=not readers and all(each.reads for each in parts))
    rows = tuple(_row(each, project) for each in left.values())
    reason = "" if rows else COVERED
    return RuleOffer(rows, reason, readers=not readers and any(each.reads for each in parts))


def _has_secret(part: CommandPart) -> bool:
    masking = late("acp_tui.session.text.secret_masking")
    hidden: bool = masking.masked_words(part.argv) != list(part.argv)
    return hidden or masking.without_secrets(part.source) != part.source


def _row(covered: CoveredPart, project: str) -> OfferedRule:
    part, place = covered.part, covered.place
    bound = runs_others(part) or any(word_problem(word.text, place) for word in part.words)
    only_here = place.folder if bound else ""
    exact = Rule("", "allow", "exact", part.argv, project=project, piped=part.piped, place=only_here)
    least = prefix_of(part)
    prefix = Rule("", "allow", "prefix", least, project=project, piped=part.piped)
    choices = (prefix, exact) if least and _allows(prefix, part, place) else (exact,)
    return OfferedRule(choices, RUNS_PROJECT if runs_project(part) else READERS if covered.reads else "")


def _files_offer(
    claim: RequestClaim, rules: Sequence[Rule], environment: CommandEnvironment, project: str
) -> RuleOffer:
    if reason := files_problem(claim, environment):
        return RuleOffer(reason=reason)
    if _file_decision(claim, rules, environment) is not None:
        return RuleOffer(reason=COVERED)
    tool = Rule("", "allow", "tool", (claim.kind,), scope="session", agent=claim.agent)
    choices = [tool]
    if claim.kind in _FILE_KINDS and not claim.addresses and not claim.patterns:
        folder = os.path.commonpath([os.path.dirname(os.path.realpath(path)) for path in claim.places])  # noqa: PTH120
        around = dict.fromkeys((folder, *(root for root in claim.roots if _is_under(folder, root))))
        drafts = [
            Rule("", "allow", "folder", (each,), project=project, agent=claim.agent, action=claim.kind)
            for each in around
        ]
        choices = [each for each in drafts if _allows_files(each, claim)] + choices
    return RuleOffer((OfferedRule(tuple(choices)),))
