"""The drawing of a tool call: its heading, output, diffs, and what is left of its input."""
