"""Agent text to styled cells: text safety, pieces of growing text, wrapping, Markdown, code, diffs, terminal output."""
