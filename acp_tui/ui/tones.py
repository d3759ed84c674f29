"""How loud a word is: the few styles that the parts around the transcript use, in the theme's own colours."""

MUTED = "$foreground 62%"  # secondary text
FAINT = "$foreground 42%"  # key hints
ACCENT = "$primary"
AGENT = "$secondary"
KEY = "$foreground 85%"
