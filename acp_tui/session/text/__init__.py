"""Words and lines made plain: escapes of terminal output, mentions, words for plans and for how a turn ended, and which
lines differ between two texts.
"""
