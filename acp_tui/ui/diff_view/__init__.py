"""Diffs and plans with a line cursor: which lines each row shows, the current one, and those that are selected."""
