"""Forms, addresses and options before a session, asked of a client that checks every line against the schema."""

from pathlib import Path
from typing import Any

from acp_tui.demo.project import texts
from acp_tui.protocol.base import read
from acp_tui.protocol.vocabulary.config_options import read_input_options
from acp_tui.protocol.vocabulary.elicitation import ElicitationSchema
from acp_tui.session.form import Form
from tests.agents.older_demo import AskingAgent
from tests.unit.demo.client import DemoClient, play


def answered(client: DemoClient, prompt: str, answer: dict[str, Any]) -> str:
    client.elicited = answer

    async def scene() -> None:
        await client.start()
        assert await client.prompt(prompt) == "end_turn"

    play(scene())
    return client.text()


def test_the_form_has_every_kind_of_field_and_its_defaults_are_no_problem() -> None:
    form = Form(read(ElicitationSchema, texts()["form"]))
    assert {field.kind for field in form.fields} == {"text", "choice", "choices", "integer", "number", "boolean"}
    assert form.problems() == {"name": "Required"}
    assert not any(form.left_to_the_agent(field.name) for field in form.fields)


def test_a_form_is_told_back(tmp_path: Path) -> None:
    said = answered(DemoClient(tmp_path), "/ask", {"action": "accept", "content": {"name": "One", "announce": True}})
    assert "| name | One |" in said
    assert "declin" in answered(DemoClient(tmp_path), "/ask", {"action": "decline"})


def test_an_address_is_completed_once_it_was_accepted(tmp_path: Path) -> None:
    client = DemoClient(tmp_path)
    assert "Done." in answered(client, "/link", {"action": "accept"})
    assert client.completed == ["visit-demo-1"]
    client = DemoClient(tmp_path)
    assert "cancel" in answered(client, "/link", {"action": "cancel"})
    assert client.completed == []


def test_several_questions_wait_at_once(tmp_path: Path) -> None:
    client = DemoClient(tmp_path)
    assert "decline, decline, decline" in answered(client, "/questions", {"action": "decline"})


def test_a_client_without_forms_is_not_asked(tmp_path: Path) -> None:
    client = DemoClient(tmp_path)

    async def scene() -> None:
        await client.start({})
        for prompt in ("/ask", "/link", "/questions"):
            await client.prompt(prompt)

    play(scene())
    assert client.requests == []


def test_options_are_taken_where_that_is_wanted(tmp_path: Path) -> None:
    client = DemoClient(tmp_path, agent=AskingAgent())

    async def scene() -> None:
        form = read_input_options(await client.call("initialize", protocolVersion=1, clientCapabilities={}))[
            "session/new"
        ]
        assert [field.secret for field in Form(form).fields] == [False, False, True]
        setup = await client.call(
            "session/new", cwd=str(tmp_path), mcpServers=[], configOptions={"model": "swift-mini"}
        )
        values = {option["id"]: option["currentValue"] for option in setup["configOptions"]}
        assert values["model"] == "swift-mini"

    play(scene())
