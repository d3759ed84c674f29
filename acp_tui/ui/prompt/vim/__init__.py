"""Vim's keys in the prompt: what each does to a text and a cursor. Only `keyboard` and `switch` know the editor."""
