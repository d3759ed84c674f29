"""Permission policies: how permission requests are answered when nobody is there to ask.

A policy looks at the kind of the options, never at their text: the text is the agent's.
"""

from typing import Literal

from acp_tui.protocol.vocabulary.permissions import SUBJECT_TYPES, PermissionRequest

Policy = Literal["reject", "allow-once", "allow-always"]

# Kinds by preference. An allowing policy never answers with more than it was given, so allow-once takes no
# allow_always; a rejecting one would rather reject for good than let the agent wait.
_KINDS: dict[Policy, tuple[str, ...]] = {
    "reject": ("reject_once", "reject_always"),
    "allow-once": ("allow_once",),
    "allow-always": ("allow_always", "allow_once"),
}


def choose(policy: Policy, request: PermissionRequest) -> str | None:
    """The id of the option that `policy` takes, the agent's first of its kind; `None` (cancelled) if there is none.

    What a request of an unknown kind of subject would allow, nobody here knows: no policy allows it.
    """
    subject = request.subject
    if subject is not None and subject.type not in SUBJECT_TYPES:
        policy = "reject"
    for kind in _KINDS[policy]:
        for option in request.options:
            if option.kind == kind:
                return option.option_id
    return None
