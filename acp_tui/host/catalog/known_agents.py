"""Agents that are known to speak ACP: how each is started and installed, and what it needs.

Facts only; nothing is looked up here.
"""

from collections.abc import Sequence
from itertools import dropwhile
from pathlib import PurePosixPath, PureWindowsPath

from acp_tui.frozen import Frozen


class KnownAgent(Frozen):
    """`registry` is what the public registry calls it, where that differs from `name`.

    `reads_itself` says why this agent is not offered to read files through us; empty where it is offered. Such an
    agent is known by its `package`, too.
    """

    name: str
    title: str
    description: str
    argv: tuple[str, ...]
    install: str
    homepage: str
    registry: str = ""
    package: str = ""
    reads_itself: str = ""


KNOWN_AGENTS = (
    KnownAgent(
        "opencode",
        "OpenCode",
        "Open source agent for any model",
        ("opencode", "acp"),
        "npm install -g opencode-ai",
        "https://opencode.ai",
    ),
    KnownAgent(
        "claude",
        "Claude Code",
        "Anthropic's agent, through its ACP adapter",
        ("claude-agent-acp",),
        "npm install -g @agentclientprotocol/claude-agent-acp",
        "https://github.com/agentclientprotocol/claude-agent-acp",
        registry="claude-acp",
    ),
    KnownAgent(
        "codex",
        "Codex",
        "OpenAI's agent, through its ACP adapter",
        ("codex-acp",),
        "npm install -g @agentclientprotocol/codex-acp",
        "https://github.com/agentclientprotocol/codex-acp",
        registry="codex-acp",
    ),
    KnownAgent(
        "gemini",
        "Gemini CLI",
        "Google's open source agent",
        ("gemini", "--acp"),
        "npm install -g @google/gemini-cli",
        "https://geminicli.com",
        package="@google/gemini-cli",
        reads_itself="it could not create a file, for any error of fs/read_text_file ends its tool",
    ),
    KnownAgent(
        "copilot",
        "GitHub Copilot",
        "GitHub's agent for the terminal",
        ("copilot", "--acp"),
        "npm install -g @github/copilot",
        "https://github.com/features/copilot/cli",
        registry="github-copilot-cli",
    ),
    KnownAgent(
        "cursor",
        "Cursor",
        "Cursor's agent for the terminal",
        ("cursor-agent", "acp"),
        "curl https://cursor.com/install -fsS | bash",
        "https://cursor.com/cli",
    ),
    KnownAgent(
        "kimi",
        "Kimi Code",
        "Moonshot AI's open source agent",
        ("kimi", "acp"),
        "npm install -g @moonshot-ai/kimi-code",
        "https://moonshotai.github.io/kimi-code",
        registry="kimi-code",
    ),
    KnownAgent(
        "qwen",
        "Qwen Code",
        "Alibaba's open source agent",
        ("qwen", "--acp"),
        "npm install -g @qwen-code/qwen-code",
        "https://qwenlm.github.io/qwen-code-docs",
        registry="qwen-code",
    ),
    KnownAgent(
        "vibe",
        "Mistral Vibe",
        "Mistral's open source agent",
        ("vibe-acp",),
        "uv tool install mistral-vibe",
        "https://github.com/mistralai/mistral-vibe",
        registry="mistral-vibe",
    ),
    KnownAgent(
        "goose",
        "goose",
        "Open source agent, extensible by MCP",
        ("goose", "acp"),
        "curl -fsSL https://github.com/aaif-goose/goose/releases/download/stable/download_cli.sh | bash",
        "https://github.com/aaif-goose/goose",
    ),
    KnownAgent(
        "cline",
        "Cline",
        "Cline's agent for the terminal",
        ("cline", "--acp"),
        "npm install -g cline",
        "https://cline.bot",
    ),
    KnownAgent(
        "auggie",
        "Auggie",
        "Augment Code's agent",
        ("auggie", "--acp"),
        "npm install -g @augmentcode/auggie",
        "https://www.augmentcode.com",
    ),
    KnownAgent(
        "kilo",
        "Kilo Code",
        "Open source agent for any model",
        ("kilo", "acp"),
        "npm install -g @kilocode/cli",
        "https://kilo.ai",
    ),
    KnownAgent(
        "hermes",
        "Hermes Agent",
        "Nous Research's open source agent",
        ("hermes", "acp"),
        "uv tool install 'hermes-agent[acp]'",
        "https://hermes-agent.nousresearch.com",
        registry="hermes-agent",
    ),
    KnownAgent(
        "fast-agent",
        "fast-agent",
        "Agents and workflows in Python, for any model",
        ("fast-agent-acp",),
        "uv tool install fast-agent-acp",
        "https://fast-agent.ai",
    ),
)

_RUNNERS = ("npx", "npm", "pnpm", "pnpx", "yarn", "bunx", "bun")  # of packages, by name
_INTERPRETERS = ("node", "bun", "deno")
_ENDINGS = (".exe", ".cmd", ".bat", ".ps1", ".js", ".mjs", ".cjs")


def known_by_argv(argv: Sequence[str]) -> KnownAgent | None:
    """The known agent that a command starts: by its program, its package, or its script; however it is spelled."""
    if argv and _name(argv[0]) == "env":
        argv = list(dropwhile(lambda word: word.startswith("-") or "=" in word, argv[1:]))
    return next((known for known in KNOWN_AGENTS if argv and _starts(known, argv)), None)


def _starts(known: KnownAgent, argv: Sequence[str]) -> bool:
    name, script = _name(argv[0]), next((word for word in argv[1:] if not word.startswith("-")), "")
    if name == known.argv[0]:
        return True
    if name in _RUNNERS and known.package:
        options = [word.partition("=")[2] if word.startswith("--package=") else word for word in argv[1:]]
        if any(word == known.package or word.startswith(f"{known.package}@") for word in options):
            return True
    if name not in _INTERPRETERS:
        return False
    inside = f"/{known.package}/" in script.replace("\\", "/") if known.package else False
    return inside or _name(script) == known.argv[0]


def _name(program: str) -> str:
    """`gemini` for `/usr/bin/gemini`, `gemini.CMD` and `C:\\npm\\gemini.cmd`."""
    path = PureWindowsPath(program) if "\\" in program else PurePosixPath(program)
    name = path.name.lower()
    return next((name.removesuffix(ending) for ending in _ENDINGS if name.endswith(ending)), name)
