"""What a session's turns have changed in its folders: its points in time, what lies between two of them, and taking it
back. It joins snapshots and taking back with the session.
"""
