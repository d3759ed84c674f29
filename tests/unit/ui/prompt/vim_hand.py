"""Someone who edits with vim's keys: `|` is the cursor, `<` stands for Esc."""

from acp_tui.ui.prompt.vim_keyboard import ESCAPE, Vim


def hand(text: str) -> Vim:
    """Vim in normal mode on this text, with the cursor on what follows the `|`."""
    vim = Vim()
    before, _, after = text.partition("|")
    vim.buffer.text, vim.buffer.at, vim.buffer.mode = before + after, len(before), "normal"
    return vim


def press(vim: Vim, keys: str) -> str:
    """Press keys, and type where it is insert mode; the text with its cursor then."""
    buffer = vim.buffer
    for key in keys:
        if key != "<" and buffer.mode == "insert":
            buffer.text, buffer.at = buffer.text[: buffer.at] + key + buffer.text[buffer.at :], buffer.at + 1
        else:
            vim.press(ESCAPE if key == "<" else key)
    return f"{buffer.text[: buffer.at]}|{buffer.text[buffer.at :]}"


def edited(text: str, keys: str) -> str:
    """The text with its cursor after these keys."""
    return press(hand(text), keys)
