"""How a tool call is drawn: its heading, output, diffs, and what is left of its input."""
