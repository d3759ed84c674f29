"""Agent text to styled cells: text safety, pieces of a growing text, wrapping, Markdown, code, diffs, terminal output."""
