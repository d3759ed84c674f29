"""Models that stay share what most of them have alike, and say the same as before."""

from hypothesis import given
from hypothesis import strategies as st

from acp_tui.protocol.base import Model, kept
from acp_tui.protocol.reading import read
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.tool_calls import ContentItem, Diff, ToolCallLocation, ToolCallUpdate

NOTES = st.dictionaries(st.sampled_from(["audience", "priority", "odd"]), st.sampled_from([None, 1, ["user"]]))
BLOCK = st.fixed_dictionaries(
    {"type": st.just("text"), "text": st.text(max_size=3)},
    optional={"annotations": st.none() | NOTES, "_meta": st.none() | st.just({"a": 1}), "odd": st.integers()},
)
ITEM = st.fixed_dictionaries({"type": st.just("content"), "content": BLOCK}, optional={"odd": st.none()})
PLACE = st.fixed_dictionaries({"path": st.text(max_size=3)}, optional={"line": st.none() | st.integers(0, 9)})


def text() -> ContentItem:
    return read(ContentItem, {"type": "content", "content": {"type": "text", "text": "a"}})


@given(
    st.sampled_from([(ContentItem, ITEM), (ToolCallLocation, PLACE)]).flatmap(
        lambda pair: st.tuples(st.just(pair[0]), pair[1])
    )
)
def test_what_is_kept_says_the_same(case: tuple[type[Model], dict[str, object]]) -> None:
    model, data = case
    before, after = read(model, data), kept(read(model, data))
    assert after == before
    assert after.model_fields_set == before.model_fields_set
    assert after.model_extra == before.model_extra
    assert after.model_dump(exclude_unset=True) == before.model_dump(exclude_unset=True)
    assert after.model_copy(update={"meta": {}}) == before.model_copy(update={"meta": {}})


def test_models_that_were_given_the_same_members_share_the_names_of_them() -> None:
    one, other = kept(text()), kept(text())
    assert one.model_fields_set is other.model_fields_set
    assert one.content.model_fields_set is other.content.model_fields_set
    assert one.model_extra is other.model_extra


def test_a_copy_that_is_changed_changes_no_other() -> None:
    one = kept(text()).content
    assert isinstance(one, TextContent)
    copy = one.model_copy(update={"meta": {}})
    assert copy.has("meta")
    assert not one.has("meta")
    assert not kept(text()).content.has("meta")


def test_unknown_members_are_no_others() -> None:
    odd = kept(read(ToolCallLocation, {"path": "a", "odd": 1}))
    assert odd.model_extra == {"odd": 1}
    assert kept(read(ToolCallLocation, {"path": "a"})).model_extra == {}


def test_only_given_members_are_written_again() -> None:
    update = ToolCallUpdate(tool_call_id="1", content=[kept(Diff(path="a", new_text="b"))])
    assert update.model_dump(by_alias=True, exclude_unset=True) == {
        "toolCallId": "1",
        "content": [{"path": "a", "newText": "b"}],
    }
