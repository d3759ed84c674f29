"""What has happened in a session, and what changed: entries, facts and changes, the state above, the folds above that.

It knows the words of the protocol, and neither how they come nor who looks.
"""
