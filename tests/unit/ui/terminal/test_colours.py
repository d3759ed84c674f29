"""How many colours a terminal has, as its environment tells."""

import pytest
from rich.color import ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.strip import Strip

from acp_tui.ui.terminal.terminal_capabilities import ColourDepth, can_be_asked, colours_of, draw_anew_with, draw_with
from tests.rows import each_of

MILLIONS, MANY, FEW = ColorSystem.TRUECOLOR, ColorSystem.EIGHT_BIT, ColorSystem.STANDARD


@each_of(
    ("environ", "colours"),
    [
        ({"TERM": "xterm"}, ColourDepth(FEW, ask=True)),
        ({"TERM": "xterm-256color"}, ColourDepth(MANY, ask=True)),
        ({"TERM": "rxvt-unicode-256color"}, ColourDepth(MANY, ask=True)),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, ColourDepth(MILLIONS)),
        ({"TERM": "linux", "COLORTERM": "24bit"}, ColourDepth(MILLIONS)),
        ({"TERM": "xterm", "COLORTERM": "yes"}, ColourDepth(FEW, ask=True)),
        ({"TERM": "xterm", "XTERM_VERSION": "XTerm(379)"}, ColourDepth(MILLIONS)),
        ({"TERM": "xterm", "XTERM_VERSION": "XTerm(200)"}, ColourDepth(FEW, ask=True)),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7600"}, ColourDepth(MILLIONS)),
        ({"TERM": "xterm-256color", "VTE_VERSION": "3400"}, ColourDepth(MANY, ask=True)),
        ({"TERM": "xterm-256color", "VTE_VERSION": "x" * 9}, ColourDepth(MANY, ask=True)),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, ColourDepth(MILLIONS)),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"}, ColourDepth(MANY)),
        ({"TERM": "xterm-kitty"}, ColourDepth(MILLIONS)),
        ({"TERM": "foot"}, ColourDepth(MILLIONS)),
        ({"TERM": "xterm-direct"}, ColourDepth(MILLIONS)),
        ({"TERM": "tmux-256color", "TMUX": "x", "XTERM_VERSION": "XTerm(379)"}, ColourDepth(MANY)),
        ({"TERM": "screen", "VTE_VERSION": "7600"}, ColourDepth(FEW)),
        ({"TERM": "xterm", "STY": "1.x", "KITTY_WINDOW_ID": "1"}, ColourDepth(FEW)),
        ({"TERM": "linux"}, ColourDepth(FEW)),
        ({"TERM": "linux", "XTERM_VERSION": "XTerm(379)"}, ColourDepth(FEW)),
        ({"TERM": "vt100"}, ColourDepth(None)),
        ({"TERM": "vt220"}, ColourDepth(None)),
        ({"TERM": "dumb"}, ColourDepth(None)),
        ({"TERM": "xterm-mono"}, ColourDepth(None)),
        ({"TERM": ""}, ColourDepth(FEW)),
        ({}, ColourDepth(FEW)),
    ],
)
def test_what_the_environment_tells(environ: dict[str, str], colours: ColourDepth) -> None:
    assert colours_of(environ) == colours


def test_who_would_print_a_question_is_not_asked() -> None:
    assert can_be_asked({"TERM": "xterm"})
    assert can_be_asked({"TERM": "tmux-256color", "TMUX": "x"})
    for term in ("", "dumb", "linux", "vt100"):
        assert not can_be_asked({"TERM": term})
    assert not can_be_asked({"TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"})


def test_a_strip_that_was_drawn_with_fewer_colours_is_drawn_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Strip, "render", Strip.render)  # put back what this test changes
    app: App[None] = App()
    style = Style(color="#123456")
    strip, plain = Strip([Segment("x", style), Segment("y")]), Strip([Segment("z")])
    draw_with(app, FEW)
    first = strip.render(app.console), plain.render(app.console)
    draw_anew_with(app, MILLIONS)
    assert "38;2;18;52;86" not in first[0]
    again = strip.render(app.console), plain.render(app.console)
    assert again == (Strip([Segment("x", style + Style()), Segment("y")]).render(app.console), "z")
    assert "38;2;18;52;86" in again[0]
    assert strip.render(app.console) is again[0]
    assert "38;2;18;52;86" in Strip.join([strip, plain]).render(Console(color_system="truecolor"))
