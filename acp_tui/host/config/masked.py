"""Settings as they may be shown to anybody: without what may be secret."""

import re
from collections.abc import Iterable, Mapping

MASK = "•••"
_SECRET = re.compile(r"key|token|secret|passw|auth|credential", re.IGNORECASE)
_FLAG = re.compile(r"(-{1,2}[\w-]+)(=)?(.*)", re.DOTALL)
_LOGIN = re.compile(r"(?<=://)[^/@\s]+@")


def is_secret(name: str) -> bool:
    """Whether a variable of that name sounds as if its value were secret."""
    return _SECRET.search(name) is not None


def masked_values(variables: Mapping[str, str]) -> dict[str, str]:
    """Names with masks for values: nobody can tell which of them are secret."""
    return dict.fromkeys(variables, MASK)


def masked_words(words: Iterable[str]) -> list[str]:
    """Arguments of a command, without the values of flags that sound secret and log-ins in addresses."""
    shown: list[str] = []
    hide = False
    for word in words:
        flag = _FLAG.fullmatch(word)
        secret = flag is not None and _SECRET.search(flag[1]) is not None
        if secret and flag is not None and flag[2]:
            shown.append(f"{flag[1]}={MASK}")
        else:
            shown.append(MASK if hide and flag is None else masked_address(word))
        hide = secret and flag is not None and not flag[2]
    return shown


def masked_address(address: str) -> str:
    """An address without a log-in, and without a query where that sounds secret."""
    shown = _LOGIN.sub(f"{MASK}@", address)
    where, mark, query = shown.partition("?")
    return f"{where}?{MASK}" if mark and "://" in where and _SECRET.search(query) else shown


def masked_value(value: object) -> object:
    """The value of a setting of the top level: an address, words of a command, or what is no secret."""
    if isinstance(value, str):
        return masked_address(value)
    return tuple(masked_words(value)) if isinstance(value, list | tuple) else value
