"""Short answers to short prompts: greetings, sums, help."""

import ast
import operator
import re

from acp_tui.demo.session import Session

_SUM = re.compile(r"(what is )?([\d\s.+*/()-]{1,60})[=?]*", re.IGNORECASE)
_OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}

_HELP = """\
I am the demo agent: I need no model and no network, and I only act. Try

- `find out why the login test fails and fix it`: the whole story
- `/markdown`, `/diff`, `/plan`, `/tools`: what an answer can be made of
- `/permissions`: several permission requests at once; `/run ls -l`: a live terminal
- `/ask`: a form with every kind of field; `/link`: an address to visit
- `/content`: pictures, sounds and resources; `/plans`, `/full`, `/title`, `/odd`: other things that agents tell
- `/long 40`, then **Esc**: cancel in the middle; `/fail refusal`: a turn that ends badly
- the selectors below the prompt: some models have fewer options, and one is refused

In **Ask** mode I ask before every edit, in **Accept edits** I do not, in **Plan** I never edit.
"""


async def help_page(session: Session, _: str) -> None:
    """What can be tried."""
    await session.say(_HELP)


async def greet(session: Session, _: str) -> None:
    """A friendly word."""
    await session.say("Hello! I am the demo agent. Ask me to `fix the login test, please`, or type `/` for more.")
    session.usage()


async def work_out(session: Session, text: str) -> None:
    """The result of a sum."""
    match = _SUM.fullmatch(text)
    try:
        result = _value(ast.parse((match.group(2) if match else text).strip(), mode="eval").body)
    except (ValueError, SyntaxError, ZeroDivisionError, OverflowError, RecursionError):
        await offer(session, text)
        return
    await session.say(f"**{result:g}**")


async def offer(session: Session, text: str) -> None:
    """An answer to what is too short to be work."""
    said = f"You said “{text}”. " if text else ""
    await session.say(f"{said}I only know a few scenes: `/help` lists them, a longer request plays the whole story.")


async def unknown_command(session: Session, name: str) -> None:
    """An answer to a command that is none."""
    await session.say(f"There is no command `/{name}`. `/help` lists those that there are.")


def is_sum(text: str) -> bool:
    """Whether the prompt is a sum to work out."""
    return bool(_SUM.fullmatch(text)) and any(sign in text for sign in "+-*/")


def _value(node: ast.expr) -> float:
    match node:
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return float(_OPERATORS[type(op)](_value(left), _value(right)))
    raise ValueError("not a sum")
