"""The demo's options: every shape, and what depends on what."""

import pytest

from acp_tui.demo.session import Options, RpcError


def ids(options: Options) -> list[str]:
    return [option["id"] for option in options.offered()]


def test_there_is_an_option_of_every_shape() -> None:
    options = Options(booleans=True)
    options.choose("model", "sage-5")
    told = {option["id"]: option for option in options.offered()}
    assert [told[name]["category"] for name in ("mode", "model", "thinking", "context_1m", "speed", "voice")] == [
        "mode",
        "model",
        "thought_level",
        "model_config",
        "model_config",
        "_demo_theme",
    ]
    assert told["context_1m"]["type"] == "boolean"
    assert [len(group["options"]) for group in told["model"]["options"]] == [4, 4, 4]


def test_options_come_and_go_with_the_model() -> None:
    options = Options(booleans=True)
    assert ids(options) == ["mode", "model", "thinking", "speed", "voice"]
    options.choose("model", "swift-nano")
    assert ids(options) == ["mode", "model", "speed", "voice"]
    options.choose("model", "sage-4-long")
    assert ids(options) == ["mode", "model", "thinking", "context_1m", "speed", "voice"]


def test_booleans_are_only_for_clients_that_know_them() -> None:
    options = Options(booleans=False)
    options.choose("model", "sage-5")
    assert "context_1m" not in ids(options)


def test_the_long_context_is_longer() -> None:
    options = Options(booleans=True)
    assert options.context_size == 200_000
    options.choose("model", "sage-5")
    options.choose("context_1m", True)
    assert options.context_size == 1_000_000


@pytest.mark.parametrize(
    ("option_id", "value"),
    [("model", "unreleased"), ("model", "nothing"), ("mode", True), ("thinking", ""), ("context_1m", True), ("x", "y")],
)
def test_what_cannot_be_chosen_is_refused(option_id: str, value: str | bool) -> None:
    options = Options(booleans=True)
    before = options.offered()
    with pytest.raises(RpcError):
        options.choose(option_id, value)
    assert options.offered() == before


def test_an_option_takes_values_of_its_own_type_only() -> None:
    options = Options(booleans=True)
    options.choose("model", "sage-5")
    options.options["rights"] = {"id": "rights", "type": "matrix", "currentValue": ""}
    for option_id, value in (("context_1m", "true"), ("speed", True), ("rights", "")):
        with pytest.raises(RpcError, match=f"{option_id} has no value {value!r}"):
            options.choose(option_id, value)
