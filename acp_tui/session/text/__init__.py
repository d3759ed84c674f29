"""Words and lines made plain: escapes of terminal output, pieces of Markdown, mentions, words for plans and data,
secrets hidden, and which lines differ between two texts.
"""
