"""The changes screen: what changed in the session's folders, or is not committed, file by file, beside a diff; other
rooms register what else is done there (`extensions`). Its review: comments on lines, and marks on what was read.
"""
