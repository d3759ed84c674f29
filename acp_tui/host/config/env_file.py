"""Variables of the environment from a file of `NAME=value` lines."""

import re
from pathlib import Path

from acp_tui.errors import UserFault
from acp_tui.host.config.foreign import read_bytes
from acp_tui.host.config.places import Place

_LINE = re.compile(r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)")
_COMMENT = re.compile(r"\s+#.*")


def read_env_file(path: Path) -> dict[str, str]:
    """The variables in the file at `path`: blank lines and `#` comments are skipped, quotes are taken off.

    Nothing is expanded and no value is shown. Raises `UserFault` with file and line.
    """
    try:
        text = read_bytes(path, foreign=False).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _unusable(Place(path), "not UTF-8") from error
    except OSError as error:
        raise _unusable(Place(path), error.strerror or str(error)) from error
    variables: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            told = _LINE.fullmatch(line.strip())
            if told is None or "\0" in line:
                raise _unusable(Place(path, number), "not NAME=value")
            variables[told[1]] = _value(told[2])
    return variables


def _value(written: str) -> str:
    quote = written[:1]
    if quote in ("'", '"') and (end := written.find(quote, 1)) > 0:
        return written[1:end]
    return _COMMENT.sub("", written)


def _unusable(place: Place, reason: str) -> UserFault:
    return UserFault("The env file cannot be used", f"{place}: {reason}")
