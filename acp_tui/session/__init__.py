"""The state of a session, and what changed it: entries, facts and changes, and the state above them. It knows the
words of the protocol, and neither how they come nor who looks.
"""
