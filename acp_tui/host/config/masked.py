"""Settings as they may be shown to anybody: without what may be secret."""

from collections.abc import Mapping

from acp_tui.session.text.secret_masking import masked_words, without_secrets
from acp_tui.session.text.secret_names import CONCEALED


def masked_values(variables: Mapping[str, str]) -> dict[str, str]:
    """Names with masks for values: nobody can tell which of them are secret."""
    return dict.fromkeys(variables, CONCEALED)


def masked_value(value: object) -> object:
    """The value of a setting of the top level: a text, words of a command, or what is no secret."""
    if isinstance(value, str):
        return without_secrets(value)
    return tuple(masked_words(value)) if isinstance(value, list | tuple) else value
