"""What every front end shows: words, rows, counts and tones made from sessions and the host.

Nothing of Textual, Rich, cells or colours is known here; a front end cuts to its width.
"""
