"""What is said about ways to log in."""

import shlex
from textwrap import wrap

from textual.content import Content

from acp_tui.host.client import Login
from acp_tui.protocol.initialization import AuthMethod, AuthVariable
from acp_tui.session.secret_names import asks_for_secret
from acp_tui.ui.commands.table import ways_to
from acp_tui.ui.render.text import cut, sanitise, sanitise_line
from acp_tui.ui.tones import MUTED

KINDS = {"agent": "the agent does it", "terminal": "here in the terminal", "env_var": "by variables"}
REASON_LINES, REASON_LINES_SHORT = 3, 1
OUTPUT_LINES, OUTPUT_LINES_SHORT = 6, 3  # of what a command wrote that failed
RUN_IT = "Run it here"
ANSWERS = ("Do not run it", RUN_IT)


def can_log_in(login: Login) -> bool:
    """Whether there is a way that this program knows."""
    return any(method.usable for method in login.methods)


def heading(agent: str, *, asks: bool, focused: bool, usable: bool) -> Content:
    """Who asks, or (where the user does) to whom one logs in; and how one gets here, if something is to do here."""
    name = sanitise_line(agent, 40) or "The agent"
    if not asks:
        return Content.styled(f"Log in to {name}", "bold")
    way = "" if focused or not usable else f"  {ways_to('answer_permission')}"
    return Content.assemble(("△ ", "$warning"), (f"{name} asks for a log-in", "bold"), (way, MUTED))


def reason(login: Login, width: int, *, short: bool) -> Content:
    """What the agent said, and why the last try came to nothing; in few rows on a `short` screen.

    A command's output has rows of at most `width` cells, and few of them: its end says most.
    """
    lines, most = sanitise(login.reason).strip().splitlines(), REASON_LINES_SHORT if short else REASON_LINES
    told = lines[:most] + [f"… {len(lines) - most} more lines"] * (len(lines) > most)
    parts = [Content.styled(f"✗ {cut(sanitise_line(login.failed), 160)}", "$error")] if login.failed else []
    if login.output:
        most = OUTPUT_LINES_SHORT if short else OUTPUT_LINES
        parts += [
            Content.styled(f"│ {cut(line, width - 2)}", MUTED) for line in _last_rows(login.output, width - 2, most)
        ]
    else:
        parts += [Content.styled(cut(line, 160), MUTED) for line in told]
    if not can_log_in(login):
        known = "This program knows none of these ways." if login.methods else "The agent names no way to log in."
        parts.append(Content(known))
        parts.append(Content(f"Log in outside of this program, then restart the agent: {ways_to('restart_agent')}"))
    return Content("\n").join(parts)


def _last_rows(output: str, width: int, most: int) -> list[str]:
    """The end of a command's output in rows of that width, without blank lines; what is left out is said."""
    lines = sanitise(output).expandtabs().splitlines()
    rows = [row for line in lines for row in wrap(line, max(20, width), drop_whitespace=False) if row.strip()]
    left_out = len(rows) - most
    return [f"… {left_out + 1} rows before", *rows[1 - most :]] if left_out > 0 else rows


def method_row(method: AuthMethod, login: Login) -> Content:
    """One way: its name, how it goes, what the agent says about it."""
    name = cut(sanitise_line(method.name), 40)
    if login.trying == method.method_id:
        return Content.assemble((name, "bold"), ("  … waiting for the agent", "$secondary"))
    how = KINDS[method.type] if method.usable else f"“{sanitise_line(method.type, 30)}” is not known here"
    how += f": {cut(sanitise_line(command_line(method), 80), 60)}" if method.command else ""
    about = " · ".join(filter(None, (how, sanitise_line(method.description or "", 300))))
    return Content.assemble((name, "" if method.usable else MUTED), (f"  {about}", MUTED))


def command_question(method: AuthMethod) -> Content:
    """The command that would run, all of it; of variables the names."""
    variables = f"\nwith {', '.join(sanitise_line(name, 80) for name in method.env)}" if method.env else ""
    return Content.assemble(
        ("The agent names this command for the log-in:\n", MUTED),
        (sanitise_line(command_line(method), 2000), "bold"),
        (f"{variables}\nIt runs with your rights: agree only if you trust the agent.", MUTED),
    )


def command_line(method: AuthMethod) -> str:
    """The command that a method names, as one would type it."""
    return shlex.join((method.command, *method.args))


def masked(variable: AuthVariable) -> bool:
    """Whether what is entered is not shown: unless the agent says that it is no secret, and its name does not."""
    return variable.secret is not False or asks_for_secret(variable.name) or asks_for_secret(variable.label or "")


def variable_label(variable: AuthVariable) -> Content:
    """The name of a variable, and what it is for."""
    about = [sanitise_line(variable.label or "", 100), "may be left empty" if variable.optional else ""]
    return Content.assemble(sanitise_line(variable.name, 80), ("  " + " · ".join(filter(None, about)), MUTED))


def variables_note(method: AuthMethod) -> Content:
    """What becomes of the values."""
    link = sanitise_line(method.link or "", 200)
    parts = [Content.styled("The agent is restarted with these. They are not stored.", MUTED)]
    if link:
        parts.append(Content.styled(f"See {link}", MUTED))
    return Content("\n").join(parts)
