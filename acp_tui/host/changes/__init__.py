"""What a session's turns have changed in its folders: its points in time, what lies between two of them, and taking it
back; and what is kept of that when sessions have ended. It joins snapshots and taking back with the session.
"""
