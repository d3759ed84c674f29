"""What of an agent's environment counts for a command."""

import pytest

from acp_tui.host.rules.command_chain import CommandEnvironment


@pytest.mark.parametrize(
    ("variables", "counting"),
    [
        ({"GIT_SSL_CAINFO": "/etc/ca.pem", "GIT_AUTHOR_NAME": "Ann", "GIT_TERMINAL_PROMPT": "0"}, ()),
        ({"GIT_PAGER": "cat", "GIT_EDITOR": "true"}, ()),
        ({"GIT_PAGER": "./x", "GIT_DIR": "/other", "GIT_SSL_CAINFO": "x"}, ("GIT_DIR", "GIT_PAGER")),
        ({"GIT_CONFIG_COUNT": "1", "GIT_EXTERNAL_DIFF": "./x"}, ("GIT_CONFIG_COUNT", "GIT_EXTERNAL_DIFF")),
    ],
)
def test_variables_of_git_that_change_what_is_read_count(variables: dict[str, str], counting: tuple[str, ...]) -> None:
    assert CommandEnvironment.of(variables).git == counting


@pytest.mark.parametrize(
    ("variables", "utf8"),
    [({"LANG": "C.UTF-8"}, True), ({"LANG": "en_US.utf8", "LC_ALL": "C"}, False), ({}, False)],
)
def test_the_locale_is_that_of_the_first_variable(variables: dict[str, str], utf8: bool) -> None:
    assert CommandEnvironment.of(variables).utf8 is utf8
