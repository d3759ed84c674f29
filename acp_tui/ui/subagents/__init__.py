"""Subagents on the screen: the transcript of each, read-only, and the tree of all."""
