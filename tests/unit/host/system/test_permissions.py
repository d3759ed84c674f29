from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from acp_tui.headless.run import Policy, choose
from acp_tui.protocol.vocabulary.tool_calls import (
    PERMISSION_KINDS,
    PermissionOption,
    PermissionRequest,
    PermissionSubject,
)
from tests.rows import each_of


def request(*kinds: str) -> PermissionRequest:
    options = [
        PermissionOption(option_id=f"{place}:{kind}", name="Allow", kind=kind) for place, kind in enumerate(kinds)
    ]
    return PermissionRequest(session_id="s", title="May I?", options=options)


@each_of(
    ("policy", "kinds", "chosen"),
    [
        ("reject", ("allow_always", "allow_once", "reject_once"), "2:reject_once"),
        ("reject", ("reject_always", "reject_once"), "1:reject_once"),
        ("reject", ("allow_once", "reject_always"), "1:reject_always"),
        ("reject", ("allow_once", "allow_always"), None),
        ("allow-once", ("allow_always", "allow_once", "allow_once"), "1:allow_once"),
        ("allow-once", ("allow_always", "reject_once"), None),
        ("allow-always", ("allow_once", "allow_always"), "1:allow_always"),
        ("allow-always", ("reject_once", "allow_once"), "1:allow_once"),
        ("allow-always", ("reject_once",), None),
        ("reject", (), None),
        ("reject", ("something_newer",), None),
    ],
)
def test_the_kind_decides(policy: Policy, kinds: tuple[str, ...], chosen: str | None) -> None:
    assert choose(policy, request(*kinds)) == chosen


@given(policy=st.sampled_from(get_args(Policy)), kinds=st.lists(st.sampled_from([*PERMISSION_KINDS, "newer"])))
def test_nothing_is_allowed_by_reject_and_nothing_for_good_by_allow_once(policy: Policy, kinds: list[str]) -> None:
    chosen = choose(policy, request(*kinds)) or ""
    assert not (policy == "reject" and "allow" in chosen)
    assert not (policy == "allow-once" and ("always" in chosen or "reject" in chosen))
    assert not (policy == "allow-always" and "reject" in chosen)


@each_of(
    ("kind", "chosen"),
    [("tool_call", "0:allow_once"), ("command", "0:allow_once"), ("_moon", "1:reject_once"), ("", "1:reject_once")],
)
@each_of("policy", ["allow-once", "allow-always"])
def test_what_nobody_here_knows_is_never_allowed_by_a_policy(policy: Policy, kind: str, chosen: str) -> None:
    asked = request("allow_once", "reject_once").model_copy(update={"subject": PermissionSubject(type=kind)})
    assert choose(policy, asked) == chosen
