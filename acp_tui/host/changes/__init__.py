"""Changes that a session's turns made in its folders: its points in time, what lies between two of them, and taking it
back; what is kept of that when sessions have ended; and what is not committed, for which nothing that a checkout names
is run, and nothing is written or kept.
"""
