"""The transcript: one scrolling view of units, and how each kind of entry is drawn."""
