"""Vim's keys in the prompt: what each does to a text and a cursor. Only `keyboard` and `changes` know the editor."""
