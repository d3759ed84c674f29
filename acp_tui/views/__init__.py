"""The words of every front end: texts, rows, counts and tones made from sessions and the host.

Nothing of Textual, Rich, cells or colours is known here; a front end cuts to its width.
"""
