"""Agent text to styled cells: text safety, wrapping, Markdown, code, diffs, terminal output."""
