"""The changes screen: what changed in the session's folders, or is not committed, file by file, beside a diff with a
cursor. What else can be done there is registered by other rooms (`extensions`).
"""
