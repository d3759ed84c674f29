"""The only code that changes a session: one file a noun, one function an update or fact. Plans, usage, commands and
options are in `info`.
"""
