"""A session as plain data and as Markdown: the proof that all of it is in the state."""
