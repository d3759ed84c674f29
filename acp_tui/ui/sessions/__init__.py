"""Sessions beside each other, going back to earlier ones, and what the user does with them and their agents.

What was recorded is searched here, and read again.
"""
