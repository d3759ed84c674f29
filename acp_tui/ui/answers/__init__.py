"""Answers that are meant: which keys and clicks answer a question, and where those go that do not."""
