"""Agents that are known to speak ACP: how each is started and installed. Facts only; nothing is looked up here."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KnownAgent:
    """`registry` is what the public registry calls it, where that differs from `name`."""

    name: str
    title: str
    description: str
    argv: tuple[str, ...]
    install: str
    homepage: str
    registry: str = ""


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
