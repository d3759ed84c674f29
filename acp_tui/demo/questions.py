"""What an agent can ask beside permissions: a form with every kind of field, an address."""

import asyncio
from typing import Any

from acp_tui.demo.project import texts
from acp_tui.demo.session import Session


async def form(session: Session, _: str) -> None:
    """Ask for a release by a form."""
    if not session.offers("elicitation", "form"):
        await session.say("This client shows no forms.")
        return
    answer = await session.request(
        "elicitation/create", mode="form", message="What shall be released?", requestedSchema=texts()["form"]
    )
    await session.say(told(answer))


async def address(session: Session, _: str) -> None:
    """Ask the user to visit an address, and say when that is done."""
    if not session.offers("elicitation", "url"):
        await session.say("This client visits no addresses.")
        return
    visit = f"visit-{session.id}"
    answer = await session.request(
        "elicitation/create",
        mode="url",
        message="I would like you to log in there. (It is an example: nothing is there.)",
        elicitationId=visit,
        url="https://example.com/login?for=acp-tui&code=1234",
    )
    if answer["action"] == "accept":
        await session.say("Waiting until you are done there … ")
        await session.pause(200)
        session.connection.notify("elicitation/complete", {"elicitationId": visit})
        await session.say("That is done.")
    else:
        await session.say(f"You answered: {answer['action']}.")


async def several(session: Session, _: str) -> None:
    """Two forms and an address at once."""
    if not (session.offers("elicitation", "form") and session.offers("elicitation", "url")):
        await session.say("This client shows no forms, or visits no addresses.")
        return
    short: dict[str, Any] = {"properties": {"why": {"type": "string", "title": "Why"}}}
    asked = [
        session.request("elicitation/create", mode="form", message=message, requestedSchema=short)
        for message in ("The first of three questions", "The second one")
    ]
    visit = {"mode": "url", "elicitationId": "odd", "url": "http://bank.example@xn--bcher-kva.example/pay"}
    asked.append(session.request("elicitation/create", message="An odd address", **visit))
    answers = await asyncio.gather(*asked)
    await session.say(f"You answered: {', '.join(answer['action'] for answer in answers)}.")


def told(answer: dict[str, Any]) -> str:
    """What was answered, as Markdown."""
    if answer["action"] != "accept":
        return f"You answered: {answer['action']}. Nothing is released."
    rows = "".join(f"| {name} | {value} |\n" for name, value in (answer.get("content") or {}).items())
    return f"This is what I got:\n\n| Field | Value |\n|---|---|\n{rows}"
