"""Taking changes of files back: what would happen, path by path, and doing that through the same checked door as the
agent's writes. It knows snapshots, but not sessions.
"""
