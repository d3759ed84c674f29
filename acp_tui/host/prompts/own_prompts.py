"""All prompts of one's own that can be used in a folder, and what the user agreed to of a project's.

The user's are in `prompts/` of the config folder, a project's in `.acp-tui/prompts/` of the folder that is worked in,
or the nearest one above. A project's prompt speaks to the agent in the user's name: it needs a consent,
which holds for exactly one text.
"""

import unicodedata
from collections.abc import Sequence
from pathlib import Path

from acp_tui.host.config.source_files import is_ours
from acp_tui.host.prompts.files import PromptFile, Search, Stamp, Unusable, read
from acp_tui.host.prompts.own_prompt import OwnPrompt
from acp_tui.host.store.consents import Consents, fingerprint
from acp_tui.host.store.folders import config_folder
from acp_tui.safe_text import is_plain, named

FOLDER = "prompts"
PROJECT_FOLDER = Path(".acp-tui", FOLDER)
PREFIX = "project:"  # of a project's prompt where the user has one of that name
FIRST_LINE = 100  # characters of the text that describe a prompt without a description
_IN_THE_WAY = frozenset(":/\\")


class OwnPrompts:
    """The prompts for work in `folder`: `listed` by their names, and the `problems` of files.

    A file that cannot be used keeps its name, if it has one of its own, and says why when it is used.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._consents = Consents()
        self._found: tuple[list[Stamp], list[str]] | None = None
        self.listed: tuple[OwnPrompt, ...] = ()
        self.problems: tuple[str, ...] = ()

    def look(self) -> bool:
        """Read the files again if any has changed, and say whether that is so. Blocks; never raises OSError."""
        problems: list[str] = []
        own = Search(config_folder() / FOLDER)
        project = _project(self._folder, problems)
        theirs = Search(project / PROJECT_FOLDER, foreign=True, here=project == self._folder) if project else None
        searches = [search for search in (own, theirs) if search is not None]
        problems += [problem for search in searches for problem in search.problems]
        found = [file.stamp for search in searches for file in search.files], [*problems]
        if found == self._found:
            return False
        prompts: dict[str, OwnPrompt] = {}
        for search in searches:
            for file in search.files:
                _add(prompts, file, project if search is theirs else None, problems)
        self._found, self.listed, self.problems = found, tuple(prompts.values()), tuple(problems)
        return True

    def find(self, name: str) -> OwnPrompt | None:
        return next((prompt for prompt in self.listed if prompt.name == name), None)

    def may_be_used(self, prompt: OwnPrompt) -> bool:
        """Whether it is the user's own, or the user agreed to its very text (or it has none). Reads a file."""
        return prompt.project is None or bool(prompt.problem) or self._consents.holds(_fingerprint(prompt))

    def agree(self, prompt: OwnPrompt) -> None:
        """Remember that the user agreed to a project's prompt. Raises OSError."""
        if prompt.project is not None:
            self._consents.add(_fingerprint(prompt), prompt.project, f"/{prompt.name}")


def _fingerprint(prompt: OwnPrompt) -> str:
    return fingerprint(prompt.project or Path(), f"/{prompt.name}", {"prompt": prompt.text, "send": prompt.send})


def _add(prompts: dict[str, OwnPrompt], file: PromptFile, project: Path | None, problems: list[str]) -> None:
    name = slash_name(file.parts)
    taken = prompts.get(name)
    if taken is not None and project is not None and taken.project is None:
        name = PREFIX + name
        taken = prompts.get(name)
    if taken is not None:
        problems.append(f"{named(file.path)}: /{name} is taken by {named(taken.path)}; not used")
        return
    try:
        front, text = read(file)
    except Unusable as error:
        problems.append(f"{error}; not used")
        prompts[name] = OwnPrompt(name, file.path, "", "cannot be used", project=project, problem=str(error))
    else:
        description = front.description or text.partition("\n")[0].lstrip("# ")[:FIRST_LINE]
        prompts[name] = OwnPrompt(name, file.path, text, description, front.argument_hint, front.send, project)


def slash_name(parts: Sequence[str]) -> str:
    """The name by which a file is called: `git/commit` is `git:commit`; what cannot be typed or seen is a dash."""
    return ":".join(
        "".join(
            sign if is_plain(sign) and not sign.isspace() and sign not in _IN_THE_WAY else "-"
            for sign in unicodedata.normalize("NFC", part)
        )
        for part in parts
    )


def _project(folder: Path, problems: list[str]) -> Path | None:
    """The folder at or above this one that has prompts, or None."""
    for place in (folder, *folder.parents):
        prompts = place / PROJECT_FOLDER
        try:
            if not prompts.is_dir():
                continue
            linked = next((path for path in (prompts.parent, prompts) if path.is_symlink()), None)
        except OSError:
            continue
        if linked is not None:
            problems.append(f"{named(linked)}: a link; the project's prompts are not used")
        elif all(is_ours(path, here=place == folder) for path in (prompts.parent, prompts)):
            return place
        else:
            problems.append(f"{named(prompts)}: belongs to another user; not used")
    return None
