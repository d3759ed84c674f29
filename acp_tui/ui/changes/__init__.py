"""The changes screen: what changed in the session's folders between two points, file by file, with the diff beside.
What else can be done there is registered by other rooms (`seam`).
"""
