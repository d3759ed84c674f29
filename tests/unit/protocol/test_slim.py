"""Models that stay share what most of them have alike, and say the same as before."""

import pickle
from collections.abc import Callable
from copy import copy, deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.protocol.base import Model, read, slim
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.tool_calls import ContentItem, Diff, ToolCallLocation, ToolCallUpdate
from tests.examples import THOROUGH

NOTES = st.dictionaries(st.sampled_from(["audience", "priority", "odd"]), st.sampled_from([None, 1, ["user"]]))
BLOCK = st.fixed_dictionaries(
    {"type": st.just("text"), "text": st.text(max_size=3)},
    optional={"annotations": st.none() | NOTES, "_meta": st.none() | st.just({"a": 1}), "odd": st.integers()},
)
ITEM = st.fixed_dictionaries({"type": st.just("content"), "content": BLOCK}, optional={"odd": st.none()})
PLACE = st.fixed_dictionaries({"path": st.text(max_size=3)}, optional={"line": st.none() | st.integers(0, 9)})


def text() -> ContentItem:
    return read(ContentItem, {"type": "content", "content": {"type": "text", "text": "a"}})


@THOROUGH
@given(
    st.sampled_from([(ContentItem, ITEM), (ToolCallLocation, PLACE)]).flatmap(
        lambda pair: st.tuples(st.just(pair[0]), pair[1])
    )
)
def test_what_is_slim_says_the_same(case: tuple[type[Model], dict[str, object]]) -> None:
    model, data = case
    before, after = read(model, data), slim(read(model, data))
    assert after == before
    assert after.model_fields_set == before.model_fields_set
    assert after.model_extra == before.model_extra
    assert after.model_dump(exclude_unset=True) == before.model_dump(exclude_unset=True)
    assert after.model_copy(update={"meta": {}}) == before.model_copy(update={"meta": {}})


def test_models_that_were_given_the_same_members_share_the_names_of_them() -> None:
    one, other = slim(text()), slim(text())
    assert one.model_fields_set is other.model_fields_set
    assert one.content.model_fields_set is other.content.model_fields_set
    assert one.model_extra is other.model_extra


def test_a_copy_that_is_changed_changes_no_other() -> None:
    one = slim(text()).content
    assert isinstance(one, TextContent)
    copy = one.model_copy(update={"meta": {}})
    assert copy.has("meta")
    assert not one.has("meta")
    assert not slim(text()).content.has("meta")


@pytest.mark.parametrize("name", ["meta", "odd"])
def test_to_set_a_member_of_one_is_refused_and_changes_no_other(name: str) -> None:
    one, other = slim(text()).content, slim(text()).content
    with pytest.raises(TypeError, match="model_copy"):
        setattr(one, name, {})
    assert not other.has(name)
    assert not other.model_extra
    assert other == text().content


CHANGES: list[Callable[[Any], object]] = [
    lambda shared: shared.update({"odd": 1}),
    lambda shared: shared.pop(),
    lambda shared: shared.clear(),
    lambda shared: shared.__ior__({"odd": 1}),
]


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_shared_refuses_to_change(change: Callable[[Any], object]) -> None:
    one = slim(text())
    for shared in (one.model_fields_set, one.model_extra):
        with pytest.raises(TypeError, match="model_copy"):
            change(shared)
    assert (one.model_fields_set, one.model_extra) == ({"type", "content"}, {})


def test_every_way_to_change_a_set_or_dictionary_is_closed() -> None:
    one = slim(text())
    unchanging = vars(frozenset).keys() | {"__init__", "__getattribute__"}  # since 3.13 a frozenset has no own one
    for name in vars(set).keys() - unchanging:
        assert getattr(type(one.model_fields_set), name) is not getattr(set, name), name
    looking = {"__or__", "__ror__", "get", "keys", "values", "items", "copy", "fromkeys", "__reversed__"}
    looking |= unchanging | {"__getitem__", "__class_getitem__"}
    for name in vars(dict).keys() - looking:
        assert getattr(type(one.model_extra), name) is not getattr(dict, name), name


COPIES: list[Callable[[Any], Any]] = [
    copy,
    deepcopy,
    lambda model: model.model_copy(),
    lambda model: model.model_copy(deep=True),
    lambda model: pickle.loads(pickle.dumps(model)),
]


@pytest.mark.parametrize("copied", COPIES)
def test_a_copy_has_its_own_and_may_change(copied: Callable[[Any], Any]) -> None:
    one = slim(text()).content
    assert isinstance(one, TextContent)
    other = copied(one)
    assert other == one
    assert other.model_fields_set == {"type", "text"}
    assert other.model_dump_json(exclude_unset=True) == one.model_dump_json(exclude_unset=True)
    other.meta, other.odd = {}, 1
    assert other.has("meta")
    assert other.model_extra == {"odd": 1}
    assert not one.has("meta")
    assert not one.model_extra


def test_unknown_members_are_no_others() -> None:
    odd = slim(read(ToolCallLocation, {"path": "a", "odd": 1}))
    assert odd.model_extra == {"odd": 1}
    assert slim(read(ToolCallLocation, {"path": "a"})).model_extra == {}


def test_only_given_members_are_written_again() -> None:
    update = ToolCallUpdate(tool_call_id="1", content=[slim(Diff(path="a", new_text="b"))])
    assert update.model_dump(by_alias=True, exclude_unset=True) == {
        "toolCallId": "1",
        "content": [{"path": "a", "newText": "b"}],
    }
