"""The history of requests for previews, by project, and how often rules answered: small files of JSON.

They are written seldom and may be lost. A request with a secret is remembered in this run only.
"""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from acp_tui.host.config.state_files import JsonFile, kept_name, read_object, state_folder
from acp_tui.host.rules.request_claim import RequestClaim
from acp_tui.startup import late

REQUESTS_AT_MOST = 200  # of one project
BYTES_AT_MOST = 2 * 1024 * 1024  # of a file; requests as agents send them have some 300 bytes each
CHARACTERS_AT_MOST = 4_500  # of a request in a file: what 200 of them may need is below the bytes
WRITE_EVERY = 1.0  # seconds

_FIELDS: dict[str, type] = dict.fromkeys(("agent", "kind", "folder", "command", "problem"), str)
_FIELDS |= dict.fromkeys(("roots", "places", "addresses", "patterns"), tuple)
_FIELDS |= dict.fromkeys(("removes", "never"), bool)
Uses = dict[str, tuple[int, float]]


class RequestHistory:
    """The last requests of one project, the oldest first. Without a `path` only this run remembers them."""

    def __init__(self, path: Path | None) -> None:
        self._file, self._new, self._written_at = JsonFile(path, BYTES_AT_MOST), list[RequestClaim](), 0.0
        self._claims: list[RequestClaim] | None = None

    @property
    def claims(self) -> Sequence[RequestClaim]:
        if self._claims is None:
            self._claims = self._file.load(_read_claims) or []
        return self._claims

    def add(self, claim: RequestClaim, clock: Callable[[], float] = time.monotonic) -> None:
        """Remember a request; `clock` gives seconds."""
        self._claims = [*self.claims, claim][-REQUESTS_AT_MOST:]
        if self._file.path is None or not _is_writable(claim):
            return
        self._new.append(claim)
        if (now := clock()) - self._written_at >= WRITE_EVERY or not self._written_at:
            self._written_at = now
            others = self._file.load(_read_claims) or []  # of other runs, too
            self._file.store([_written(each) for each in [*others, *self._new][-REQUESTS_AT_MOST:]])
            self._new.clear()


class RuleUses:
    """How often each rule answered, and when last, by its id."""

    def __init__(self, path: Path | None) -> None:
        self._file, self._new, self._written_at = JsonFile(path, BYTES_AT_MOST), Uses(), 0.0

    def count(self, rules: Collection[str], at: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Note that these rules answered `at` (seconds since the epoch)."""
        self._new |= {rule: (self._new.get(rule, (0, 0.0))[0] + 1, at) for rule in rules}
        if (now := clock()) - self._written_at >= WRITE_EVERY or not self._written_at:
            self._written_at = now
            self.all()

    def all(self) -> Mapping[str, tuple[int, float]]:
        """All that is known, which is written down if there is news."""
        uses = self._file.load(_read_uses) or {}
        for rule, (count, at) in self._new.items():
            uses[rule] = (uses.get(rule, (0, 0.0))[0] + count, max(at, uses.get(rule, (0, 0.0))[1]))
        if self._new and self._file.path is not None:
            self._file.store(uses)
            self._new.clear()
        return uses


@cache
def _history(path: Path | None, _project: str) -> RequestHistory:
    return RequestHistory(path)


@cache
def _uses(path: Path | None) -> RuleUses:
    return RuleUses(path)


def history_of(project: str, *, remember: bool) -> RequestHistory:
    """That of a project (the real path of its folder), one for all sessions of this run."""
    name = kept_name(Path(project).name, project.encode(errors="surrogateescape"), "project")
    return _history(_folder() / f"{name}.json" if remember else None, project)


def uses_of(*, remember: bool) -> RuleUses:
    return _uses(_folder() / "uses.json" if remember else None)


def _folder() -> Path:
    return state_folder() / "rules"


def _is_writable(claim: RequestClaim) -> bool:
    """Whether a request is small, and has nothing in it that is hidden where it is shown."""
    texts = [claim.name, *claim.places, *claim.addresses, *claim.patterns]
    texts += claim.command if isinstance(claim.command, tuple) else ()
    small = sum(map(len, (claim.folder, *claim.roots, *texts))) <= CHARACTERS_AT_MOST
    words = list(claim.command) if isinstance(claim.command, tuple) else claim.name.split()
    masking = late("acp_tui.session.text.secret_masking")
    return (
        small and masking.masked_words(words) == words and all(masking.without_secrets(text) == text for text in texts)
    )


def _written(claim: RequestClaim) -> dict[str, Any]:
    needed = ("agent", "kind", "folder", "roots")
    return {name: value for name in _FIELDS if (value := getattr(claim, name)) or name in needed}


def _read_claims(value: Any) -> list[RequestClaim]:
    """What `_written` wrote; raises for anything else."""
    return [_read_claim(each) for each in value[-REQUESTS_AT_MOST:]]


def _read_claim(written: Mapping[str, Any]) -> RequestClaim:
    for name, value in written.items():
        words = isinstance(value, list) and all(isinstance(word, str) for word in value)
        kind = _FIELDS[name]
        if not (words if kind is tuple else isinstance(value, kind) or (name == "command" and words)):
            raise TypeError
    given: Any = {name: tuple(value) if isinstance(value, list) else value for name, value in written.items()}
    return RequestClaim(**given)


def _read_uses(value: Any) -> Uses:
    return {str(rule): (int(count), float(at)) for rule, (count, at) in read_object(value).items()}
