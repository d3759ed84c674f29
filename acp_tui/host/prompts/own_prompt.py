"""One prompt of one's own, and what it becomes with the words that were typed after its name."""

import re
import shlex
from pathlib import Path

from acp_tui.errors import UserFault
from acp_tui.frozen import Frozen
from acp_tui.host.prompts.code_spans import outside_code

MOST = 4_000_000  # characters of what is sent; with 100,000 places, 100 KB of arguments would be 10 GB

# `$$1` and `$$ARGUMENTS` are what they look like without the first sign; `$10` is money.
_PLACE = re.compile(r"\$(\$?)(ARGUMENTS\b|[1-9](?!\d))")


class OwnPrompt(Frozen):
    """A prompt by its slash `name`; `send` is whether it goes at once, or into the editor first.

    `project` is the folder of the project that has it, None for one of the user. `text` is what stands below the front
    matter. Only the name is safe to be shown as it is. `problem` says why its file cannot be used.
    """

    name: str
    path: Path
    text: str
    description: str = ""
    argument_hint: str = ""
    send: bool = True
    project: Path | None = None
    problem: str = ""

    def expand(self, arguments: str) -> str:
        """The text with `$ARGUMENTS`, and `$1` to `$9` by the words of a shell; missing ones are empty, code is left.

        A text without any of these gets the arguments below it. Raises `UserFault` for a `problem` and for more than
        `MOST` characters.
        """
        if self.problem:
            raise UserFault(f"/{self.name} cannot be used", self.problem, "Nothing was sent.")
        arguments = arguments.strip()
        words = _words(arguments)
        placed, size = False, len(self.text)

        def put(found: re.Match[str]) -> str:
            nonlocal placed, size
            if found[1]:
                return found[0][1:]
            placed = True
            at = -1 if found[2] == "ARGUMENTS" else int(found[2]) - 1
            word = arguments if at < 0 else words[at] if at < len(words) else ""
            size += len(word)
            if size > MOST:
                raise UserFault(
                    f"/{self.name} would be too long", f"more than {MOST:,} characters", "Shorten its arguments."
                )
            return word

        text = outside_code(self.text, lambda piece: _PLACE.sub(put, piece))
        return text if placed or not arguments else f"{text}\n\n{arguments}"


def _words(arguments: str) -> list[str]:
    try:
        return shlex.split(arguments)
    except ValueError:  # a quote without its other one, as in "don't"
        return arguments.split()
