"""Which scene a prompt asks for: slash commands, the whole story, or a short answer to a few words."""

import re
from collections.abc import Callable, Coroutine
from typing import Any

from acp_tui.demo import contents, scenes, story, subagents
from acp_tui.demo.project import texts
from acp_tui.demo.session import Session
from acp_tui.frozen import Frozen

Play = Callable[[Session, str], Coroutine[Any, Any, str | None]]
"""Plays on a session, with what follows a command's name; gives the stop reason, None for the end of the turn."""


class Command(Frozen):
    """A slash command; `play` gets what follows its name."""

    name: str
    description: str
    play: Play
    hint: str = ""
    needs: tuple[str, ...] = ()  # elicitations that the client must offer


async def _help_page(session: Session, _: str) -> None:
    await session.say(texts()["said"]["help"])
    session.suggest("find out why the login test fails and fix it")


async def _talk(session: Session, text: str) -> None:
    """An answer to what is too short to be work, or is an unknown command."""
    name = text.partition(" ")[0]
    if _GREETING.match(text):
        await session.say("Hello! I'm the demo agent. Ask me to `fix the login test`, or type `/` for more.")
        session.usage()
    elif name.startswith("/"):
        await session.say(f"Unknown command: `{name}`. Type `/scenes` for the list.")
    else:
        await session.say("This is a scripted demo. Type `/scenes`, or ask me to `fix the login test`.")


COMMANDS = (
    Command("scenes", "What you can try", _help_page),
    Command("fix", "Full walkthrough: find the bug, fix it, test it", story.fix),
    Command("plan", "A plan, step by step", scenes.plan),
    Command("diff", "Diffs: long, new file, several files", contents.diffs),
    Command("content", "Images, audio, resources, agent-only text", contents.content),
    Command("plans", "Several plans of different kinds", contents.plans),
    Command("odd", "Unusual option types (toggle)", contents.odd),
    Command("full", "A context filling up, and its cost", contents.full, "currency, e.g. EUR"),
    Command("limit", "An account limit, nearly reached and reached", contents.limit),
    Command("title", "Rename the session", contents.title, "title, empty to clear"),
    Command("system", "The system prompt that you gave", contents.system),
    Command("markdown", "Everything Markdown can show", contents.markdown),
    Command("tools", "Tool calls of every kind, one fails", scenes.tools),
    Command("permissions", "Three permission requests at once", scenes.ask),
    Command("ask", "A form with every kind of field", scenes.form, needs=("form",)),
    Command("link", "A link to open", scenes.address, needs=("url",)),
    Command("questions", "Two forms and an odd link at once", scenes.several, needs=("form", "url")),
    Command("run", "Run a command in a terminal", scenes.run, "command and arguments"),
    Command("long", "A long answer", scenes.long, "number of paragraphs"),
    Command(
        "fail",
        "End the turn early or with an error",
        scenes.fail,
        "error, refusal, max_tokens, max_turn_requests or crash",
    ),
    Command("subagents", "Subagents: side by side, nested, in the background", subagents.subagents),
    Command("notice", "Notices and a context compaction", scenes.notice),
    Command("reset", "Put the bug back", story.reset),
)

_WORDS = {command.name: command for command in COMMANDS}
_WORDS["help"] = COMMANDS[0]  # not offered: clients have a command of that name
_GREETING = re.compile(r"(hello|hi|hey|good (morning|evening|day)|thanks|thank you)\b", re.IGNORECASE)
_STORY_WORDS = 4  # a prompt of so many words is taken for real work


def available_commands() -> list[dict[str, Any]]:
    """All slash commands as the protocol writes them."""
    return [
        {"name": command.name, "description": command.description}
        | ({"input": {"hint": command.hint}} if command.hint else {})
        for command in COMMANDS
    ]


async def perform(session: Session, prompt: list[dict[str, Any]]) -> str | None:
    """Play the scene that a prompt asks for; gives the stop reason, None for the end of the turn."""
    text = "".join(block["text"] for block in prompt if block["type"] == "text").strip()
    others = [block["type"].replace("_", " ") for block in prompt if block["type"] != "text"]
    if others:
        await session.say(f"You attached: {', '.join(others)}.\n\n")
    name, _, rest = text.removeprefix("/").partition(" ")
    command = _WORDS.get(name.lower().rstrip("?!."))
    if command is not None and (text.startswith("/") or not rest):
        if all(session.offers("elicitation", mode) for mode in command.needs):
            return await command.play(session, rest.strip())
        await session.say("This client does not support forms or links.")
    elif text.startswith("/") or _GREETING.match(text) or len(text.split()) < _STORY_WORDS:
        await _talk(session, text)
    else:
        await story.fix(session, text)
    return None
