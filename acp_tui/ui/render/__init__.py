"""Agent text to styled cells: text safety, wrapping, markdown, code, diffs, terminal output."""
