"""The changes screen: what changed in the session's folders, or is not committed, file by file, with the diff beside, in
which a cursor selects lines. What else can be done there is registered by other rooms (`extensions`).
"""
