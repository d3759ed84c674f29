"""The terminal that we run in: keyboard, what it can, frames, clipboard, stepping aside for another program."""
