"""What the panel says that is no form: who asks, an address, a summary before sending, the keys."""

from rich.cells import cell_len
from textual.content import Content

from acp_tui.session.forms.fields import Field
from acp_tui.session.forms.form import Form, Value
from acp_tui.session.text.secret_names import CONCEALED
from acp_tui.session.text.words import counted
from acp_tui.ui.kit.theme import MUTED, Hint, fitting, key_hints
from acp_tui.ui.questions.docked_panels import LOUD, count
from acp_tui.ui.questions.elicitation.choice_control import DIGITS
from acp_tui.ui.questions.elicitation.question import REVIEW, SEND, Address, Question
from acp_tui.ui.render.text import sanitise, sanitise_line

SCROLL: Hint = ("pgdn", "scroll")
FOUND_ALONE: tuple[Hint, ...] = (
    ("shift+tab", "back"),
    ("space", "select"),
    ("↑↓", "select"),
    ("←→", "move"),
    ("tab", "next"),
)  # left out first where there is little room
MESSAGE_AT_MOST = 8_000  # characters; more is counted
LINES_AT_MOST = 200
_COLUMN = 30  # cells of a title before values begin in a column


def heading(question: Question, agent: str, waiting: int, *, reviewing: bool) -> Content:
    """The open panel's first line: the agent by its name, and what it wants."""
    name = sanitise_line(agent, 40) or "The agent"
    said = f"△ {name} needs your input"
    if question.before_session:
        said = "△ Options for this session"
    elif question.address is not None:
        said = f"△ {name} wants to open a link"
    elif reviewing:
        said = "△ Review before sending"
    return Content.assemble((said, LOUD), count(waiting))


def message(question: Question) -> Content:
    """The agent's words in full, after a warning if there is one."""
    more = len(question.message) - MESSAGE_AT_MOST
    text = sanitise(question.message[:MESSAGE_AT_MOST]).strip("\n")
    lines = text.split("\n")
    if len(lines) > LINES_AT_MOST:
        text = "\n".join([*lines[:LINES_AT_MOST], f"… {counted(len(lines) - LINES_AT_MOST, 'more line')}"])
    if more > 0:
        text += f"\n… {counted(more, 'more character')}"
    parts = [Content.styled(f"! {sanitise(question.warning)}", "$warning")] if question.warning else []
    return Content("\n").join([*parts, Content(text)])


def address(shown: Address) -> Content:
    """Where it leads, what is odd about that, and the address in full."""
    host = Content.assemble(("Site  ", MUTED), (sanitise_line(shown.host, 400), "bold"))
    whole = Content.assemble(("URL   ", MUTED), sanitise(shown.url).replace("\n", " "))
    rows = [host, whole] if shown.host else [whole]
    rows += [Content.styled(f"! {warning}", "$warning") for warning in shown.warnings]
    if shown.refusal:
        rows.append(Content.styled(f"✗ Will not open: {shown.refusal}.", "$error"))
    return Content("\n").join(rows)


def review(form: Form) -> Content:
    """Each value that will be sent by its title, and which fields are left out."""
    content = form.content()
    fields = {field.name: field for field in form.fields}
    titles = {name: sanitise_line(fields[name].title, 60) for name in content}
    width = min(_COLUMN, max(map(cell_len, titles.values()), default=0))
    rows = [
        Content.assemble(
            (title + " " * max(0, width - cell_len(title)) + "  ", MUTED), _value(form, fields[name], content[name])
        )
        for name, title in titles.items()
    ]
    left_out = [sanitise_line(field.title, 60) for field in form.fields if field.name not in content]
    if not content:
        rows.append(Content.styled("Nothing filled in.", MUTED))
    if left_out:
        rows.append(Content.styled(f"Not answered: {', '.join(left_out)}", MUTED))
    return Content("\n").join(rows)


def _value(form: Form, field: Field, value: Value) -> str:
    if field.kind == "choice":
        return sanitise_line(field.title_of(str(form.entered(field.name))), 400)
    if field.masked:
        return CONCEALED  # nothing is said of its length either
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if isinstance(value, list):
        return sanitise_line(", ".join(field.title_of(each) for each in value), 2_000) or "none"
    return sanitise(str(value)) if isinstance(value, str) and value else str(value) or "(empty)"


def hints(question: Question, room: int, *, reviewing: bool, scrolls: bool = False) -> Content:
    """The keys that do something now, as many as have room in so many cells; the last one, Esc, always stays.

    Where an address or a review `scrolls`, the key for that stays next longest: all of it should be read.
    """
    keys = _keys(question, reviewing)
    if scrolls and (question.address is not None or reviewing):
        keys.insert(0, SCROLL)
    return key_hints(fitting(keys, room, (*FOUND_ALONE, *reversed(keys[:-1]))))


def _keys(question: Question, reviewing: bool) -> list[Hint]:
    if question.lead is not None and question.form is not None and not reviewing:
        return _answering(question.form, question.lead)
    if question.before_session:
        opens, several = question.opening.lower(), len(question.buttons(reviewing)) > 1
        start = [("enter", f"next/{opens}"), ("^R", opens)] if several else []
        return [("tab", "next"), *start, ("esc", "skip")]
    if question.address is not None or reviewing:
        return [("enter", "select"), ("←→", "move"), ("esc", "later")]
    buttons = question.buttons(reviewing)
    send = [("^R", "review")] if REVIEW in buttons else [("enter", "send")] if SEND in buttons else []
    if question.direct:
        return [*send, ("tab", "next"), ("esc", "later")]
    return [("tab", "next"), ("shift+tab", "back"), ("space", "select"), *send, ("esc", "later")]


def _answering(form: Form, lead: Field) -> list[Hint]:
    """Keys of a question of one choice; Enter is one of them once there is something to send."""
    count = 2 if lead.kind == "boolean" else min(DIGITS, len(lead.choices))
    digits = "1" if count == 1 else f"1-{count}"
    if lead.kind == "choices":
        return [(f"{digits}, space", "select"), ("enter", "send"), ("tab", "next"), ("esc", "later")]
    send = [("enter", "send")] if form.entered(lead.name) is not None else []
    return [(digits, "answer"), ("↑↓", "select"), *send, ("tab", "next"), ("esc", "later")]
