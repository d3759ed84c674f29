"""Paths in the words of a command: whether they stay in the session's folders, and which only an exact rule covers.

All that is looked up here are names: links and `..` are resolved when the question is asked, and nothing is opened.
"""

import os
import re
import stat
from collections.abc import Iterator
from fnmatch import fnmatchcase

from acp_tui.host.config.state_files import config_folder, state_folder
from acp_tui.host.rules.command_chain import CommandPlace
from acp_tui.host.system.paths import PROJECT_FILE

CREDENTIALS = (
    ".env*", "*.env", "*.env.*", "*.pem", "*.key", "id_*", ".netrc", "_netrc", ".npmrc", ".yarnrc*", "credentials*",
    ".*credentials", "*credentials*.json", ".pgpass", ".pypirc", ".ssh", ".gnupg", ".aws", ".azure", ".gcloud", ".kube",
    "*kubeconfig*", ".docker", ".dockercfg", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk", "*.tfstate*",
    "*.tfvars*", ".terraform", ".terraformrc", "secrets.y*ml", "secrets.json", "secrets.toml", ".secret*",
    "*service*account*.json", "*client*secret*.json", ".htpasswd", ".my.cnf", ".boto", ".s3cfg", ".vault-token",
    "auth.json", ".git", ".gitconfig",
)  # fmt: skip
"""Names of files and folders with credentials (Git's has addresses), which no rule reads by name; a search does."""
RUN_BY_OTHERS = (
    ".git", ".gitattributes", ".gitmodules", ".gitconfig", ".envrc", ".vscode", ".idea", ".devcontainer",
    ".npmrc", ".yarnrc*", ".pnpmfile.cjs", ".pre-commit-config.yaml", ".husky", "lefthook.y*ml", ".tool-versions",
    "*mise.toml", ".github", ".gitlab*", ".circleci", ".travis.yml", "jenkinsfile", "azure-pipelines*", ".drone.yml",
    ".buildkite", "bitbucket-pipelines.yml", ".woodpecker*", ".mcp.json", ".claude*", ".codex*", ".gemini*", ".cursor*",
    ".opencode", ".exrc", ".nvim*", ".dir-locals.el", ".bash*", ".zsh*", ".zprofile", ".zlogin", ".profile", ".ssh",
    ".config", "sitecustomize.py", "usercustomize.py", PROJECT_FILE, "opencode.json*", "mcp.json", ".windsurf*",
    ".roo*", ".kiro", ".qwen", ".kimi", "claude.md", "agents.md", "gemini.md", ".devcontainer.json",
    "*.code-workspace", ".zed", ".fleet", ".vs", "*.sublime-project", ".vimrc", ".cargo", ".rprofile", ".gdbinit",
    ".hg", ".jj", ".lefthook.y*ml", "lefthook.toml", ".lintstagedrc*", ".mvn", ".bazelrc", ".yarn", ".bundle",
    ".rspec", ".pylintrc", "eslint.config.*", ".eslintrc*", "*.pth", ".autoenv*", "flake.nix",
    ".nvmrc", ".cirrus.yml", ".forgejo", ".cshrc", ".tcshrc", ".login", ".inputrc", ".tmux.conf", "git~*",
    ".aider*", ".continue", ".cline*", ".goose*", ".agents", ".crush*", "crush.json", ".kilocode*", ".junie", ".rules",
    ".augment*", ".amp*", ".trae", "claude.local.md", "agents.*.md", "agent.md", "qwen.md", "warp.md", ".pdbrc",
    ".irbrc", ".pythonrc*", ".pryrc", ".ghci", ".iex.exs", ".erlang", ".lldbinit", ".ocamlinit", ".octaverc", ".lvimrc",
    ".mise*", "mise.*toml", ".direnv", ".devbox", "devbox.json", "devenv.*", "lint-staged.config.*", ".prettierrc*",
    "prettier.config.*", ".stylelintrc*", "stylelint.config.*", ".huskyrc*", ".gitea", ".appveyor.yml", "appveyor.yml",
    ".semaphore", ".builds", ".build.yml", ".teamcity", ".tekton", "cloudbuild.y*ml", "buildspec.y*ml",
    "node_modules", "site-packages",
)  # fmt: skip
"""Names of files and folders that other programs run by themselves, or read as settings that name programs."""
_GLUED = re.compile(r"-[A-Za-z0-9]+(?=/)")  # the value of an option of one letter, behind others or not
_ADDRESS = re.compile(r"https?://")
_TRIED = 40  # letters of `-abcNAME` from which on a name of a file may begin


def path_problem(path: str, place: CommandPlace) -> str:
    """Why a program may not be let read or write a path as it is named, for the screen; empty if it may.

    Behind a part that may have written (`settled` is False) any name may be a link by now: only `.` holds.
    """
    if path.startswith("~"):
        return "a path in a home folder"
    if ".." in path.split("/"):
        return "“..” in a path"
    if not place.settled and path not in ("", ".", "./"):
        return "a path that an earlier part may have changed"
    try:
        real = os.path.realpath(os.path.join(place.folder, path))  # noqa: PTH118 (a text, which keeps its form)
    except (OSError, ValueError):
        return "a path that cannot be resolved"
    if any(each.startswith(("/proc/", "/dev/")) for each in (path, real)):
        return "a system path"  # `/proc/self` is another one for each process
    if any(lies_in(real, root) for root in place.roots):
        return ""
    inside = not os.path.isabs(path) or any(lies_in(path, root) for root in place.roots)  # noqa: PTH117 (a text)
    return "a link that leads outside the session's folders" if inside else "a path outside the session's folders"


def word_problem(word: str, place: CommandPlace) -> str:
    """Why no rule but an exact one covers a word of a command, for the screen; empty if it may."""
    problems = (protected(path, place) for path in paths_of(word))
    return outside_problem(word, place) or next(filter(None, problems), "")


def outside_problem(word: str, place: CommandPlace) -> str:
    """Why no rule covers a word of a command: it may name something outside the session's folders; empty if not.

    Each place of the word counts in which some program could see a path: all of it, behind `=`, `:` and `,`, and glued
    to an option.
    """
    if len(word) > 4096:
        return "a long word"
    return next(filter(None, (_link_problem(path, place) for path in paths_of(word))), "")


def paths_of(word: str) -> Iterator[str]:
    """What may be a path in a word of any program."""
    word = _ADDRESS.sub("", word)
    for found in re.finditer(r"(?:^|[=:,])(?=(.*))", word, re.DOTALL):
        rest = found[1]
        yield rest
        yield re.split("[=:,]", rest, maxsplit=1)[0]
    if word.startswith("-") and not word.startswith("--"):
        if glued := _GLUED.match(word):
            yield word[glued.end() :]
        yield from (word[start:] for start in range(2, min(len(word), _TRIED)))


def _link_problem(path: str, place: CommandPlace) -> str:
    """As `path_problem`, for what may be no path at all: where links are not trusted, none may lie on its way."""
    settled = CommandPlace(place.folder, place.roots, place.environment)
    if problem := path_problem(path, settled):
        return problem
    if place.settled:
        return ""
    way = os.path.normpath(os.path.join(place.folder, path))  # noqa: PTH118 (a text)
    moved = os.path.realpath(way) != way
    return "a link that an earlier part may have changed" if moved else ""


def protected(path: str, place: CommandPlace) -> str:
    """Why no rule but an exact one covers a file or folder, for the screen; empty if it is one like others."""
    named = _below_root(path, place)
    if named is None:
        return ""
    real, names = named
    if found := next((name for name in names if _is_one(name, RUN_BY_OTHERS)), ""):
        return f"{found} can run programs"
    if any(_is_one(name, CREDENTIALS) for name in names):
        return "a file with credentials"
    if any(lies_in(real, folder) for folder in _own_folders()):
        return "acp-tui's settings"
    for entry in place.environment.path.split(os.pathsep) if place.environment.path else ():
        folder = os.path.realpath(os.path.join(place.folder, entry))  # noqa: PTH118 (an empty one is the current folder)
        if folder in (real, os.path.dirname(real)):  # noqa: PTH120 (a text)
            return "a folder of programs (PATH)"
    return ""


def file_problem(path: str, place: CommandPlace) -> str:
    """Why a program that only reads may not read a file or folder, for the screen; empty if it may. `-` is no file."""
    if path == "-":
        return ""
    if problem := path_problem(path, place):
        return problem
    named = _below_root(path, place)
    if named is None or any(_is_one(name, CREDENTIALS) for name in named[1]):
        return "a file with credentials"
    try:
        mode = os.stat(named[0]).st_mode  # noqa: PTH116 (a text)
    except OSError:
        return ""
    return "" if stat.S_ISREG(mode) or stat.S_ISDIR(mode) else "neither a file nor a folder"


def _below_root(path: str, place: CommandPlace) -> tuple[str, list[str]] | None:
    """The real path, and the names on the way to it from the session's folders on, as written and as it is."""
    try:
        written = os.path.normpath(os.path.join(place.folder, path))  # noqa: PTH118 (a text)
        real = os.path.realpath(written)
    except (OSError, ValueError):
        return None
    names = []
    for way in (written, real):
        root = max((root for root in place.roots if lies_in(way, root)), key=len, default="")
        names += way.removeprefix(root).split("/")
    return real, [name for name in names if name]


def lies_in(path: str, folder: str) -> bool:
    """Whether a real path is a folder, or below it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _is_one(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name.casefold(), pattern) for pattern in patterns)


def _own_folders() -> tuple[str, ...]:
    return tuple(os.path.realpath(folder()) for folder in (config_folder, state_folder))
