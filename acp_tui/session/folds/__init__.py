"""The only code that changes a session: one file a noun, one function an update or fact, and with them kinds of entries
and their Markdown. Plans, usage, commands and options are in `session_info`.
"""
