"""Every line that the dialect can produce is valid by the official schema."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui import __version__
from acp_tui.protocol.capabilities import METHOD, ClientCapabilities, SessionScope, introduction
from acp_tui.protocol.session_setup import Call
from acp_tui.protocol.v1.dialect import Version1Dialect
from acp_tui.protocol.vocabulary.config_options import BooleanOption, SelectOption
from acp_tui.protocol.vocabulary.content import (
    Annotations,
    AudioContent,
    BlobResource,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResource,
)
from tests.unit.protocol.official import V1

DEFINITION = {method: name for name, method in V1.methods("agent") if not name.endswith("Response")}
text = st.text(max_size=5)
blocks: st.SearchStrategy[ContentBlock] = st.one_of(
    st.builds(TextContent, text=text),
    st.builds(TextContent, text=text, annotations=st.just(Annotations(audience=["user"], priority=0.5))),
    st.builds(ImageContent, data=text, mime_type=text, uri=st.none() | text),
    st.builds(AudioContent, data=text, mime_type=text),
    st.builds(ResourceLink, uri=text, name=text, size=st.none() | st.integers(0, 9)),
    st.builds(EmbeddedResource, resource=st.builds(TextResource, uri=text, text=text, mime_type=st.none() | text)),
    st.builds(EmbeddedResource, resource=st.builds(BlobResource, uri=text, blob=text)),
)


def check(call: Call) -> None:
    V1.validator(DEFINITION[call.method]).validate(call.params)


@pytest.mark.parametrize(
    "offered", [ClientCapabilities(), ClientCapabilities(False, False, False, True, prompt_suggestions=False)]
)
def test_initialize(offered: ClientCapabilities) -> None:
    call = Call(METHOD, introduction("1", offered))
    check(call)
    capabilities = call.params["clientCapabilities"]
    assert call.params["protocolVersion"] == 1
    assert capabilities["fs"] == {"readTextFile": offered.read_text_file, "writeTextFile": offered.write_text_file}
    assert capabilities["terminal"] is offered.terminal
    assert capabilities["plan"] == {}
    assert capabilities["session"] == {"configOptions": {"boolean": {}}, "notices": {}, "compaction": {}} | (
        {"promptSuggestions": {}} if offered.prompt_suggestions else {}
    )
    assert capabilities["_meta"] == {"terminal_output": True}
    assert capabilities.get("elicitation") == ({"form": {}, "url": {}} if offered.elicitation else None)
    assert "auth" not in capabilities
    assert call.params["clientInfo"] == {"name": "acp-tui", "title": "acp-tui", "version": __version__}


def test_new_session_and_cancel() -> None:
    dialect = Version1Dialect()
    check(dialect.open_session("new", SessionScope("/project")))
    check(dialect.cancel("s"))


@given(st.lists(blocks, max_size=3))
def test_prompt(prompt: list[ContentBlock]) -> None:
    call = Version1Dialect().prompt("s", prompt)
    check(call)
    assert [block["type"] for block in call.params["prompt"]] == [block.type for block in prompt]


def test_config_options() -> None:
    dialect = Version1Dialect()
    select = dialect.set_config_option("s", SelectOption(id="m", name="M", current_value="a"), "b")
    switch = dialect.set_config_option("s", BooleanOption(id="f", name="F", current_value=False), True)
    check(select)
    check(switch)
    assert select.params == {"sessionId": "s", "configId": "m", "value": "b"}
    assert switch.params == {"sessionId": "s", "configId": "f", "value": True, "type": "boolean"}


def test_modes_and_models() -> None:
    dialect = Version1Dialect()
    answer: dict[str, Any] = {
        "sessionId": "s",
        "modes": {"currentModeId": "a", "availableModes": []},
        "models": {"currentModelId": "x", "availableModels": []},
    }
    dialect.read_session_setup(dialect.open_session("new", SessionScope("/")), answer)
    mode = dialect.set_config_option("s", SelectOption(id="mode", name="Mode", current_value="a"), "b")
    model = dialect.set_config_option("s", SelectOption(id="model", name="Model", current_value="x"), "y")
    check(mode)
    assert mode == Call("session/set_mode", {"sessionId": "s", "modeId": "b"})
    assert model == Call("session/set_model", {"sessionId": "s", "modelId": "y"})


@pytest.mark.parametrize("option_id", [None, "", "allow"])
def test_permission_answers(option_id: str | None) -> None:
    answer = Version1Dialect().permission_answer(option_id)
    V1.validator("RequestPermissionResponse").validate(answer)
    assert answer["outcome"]["outcome"] == ("cancelled" if option_id is None else "selected")
