"""How loud a word is: the few styles that the parts around the transcript use, in the theme's own colours."""

# In our own themes text reads at a contrast of 4.5 or more, signs and hints at 3.
MUTED = "$foreground 68%"  # secondary text
FAINT = "$foreground 55%"  # signs and hints that repeat what stands elsewhere
ACCENT = "$primary"
AGENT = "$secondary"
KEY = "$foreground 85%"
