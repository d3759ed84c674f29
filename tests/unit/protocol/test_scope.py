"""Which of the folders that an agent names a session gets."""

from acp_tui.protocol.capabilities import SessionScope
from tests.rows import each_of

OWN = SessionScope("/p", ("/more",))


@each_of(
    ("cwd", "more", "given", "folders"),
    [
        ("/p", (), (), ("/p", "/more")),
        ("/etc", (), (), ("/p", "/more")),
        ("/etc", ("/root",), (), ("/p", "/more")),
        ("/p", ("/more", "/etc"), (), ("/p", "/more")),
        ("/more", (), (), ("/more", "/more")),
        ("/etc", ("/root",), ("/etc",), ("/etc", "/more")),
        ("/p", ("/etc", "/root"), ("/root",), ("/p", "/root")),
        ("/etc", ("/root", "/srv"), ("/etc", "/root", "/srv"), ("/etc", "/root", "/srv")),
        ("", (), (), ("/p", "/more")),
        ("", ("",), ("",), ("/p", "/more")),
    ],
)
def test_it_gets_those_that_the_user_gave(
    cwd: str, more: tuple[str, ...], given: tuple[str, ...], folders: tuple[str, ...]
) -> None:
    scope = OWN.of_named(cwd, more, given)
    assert (scope.cwd, *scope.additional_directories) == folders
