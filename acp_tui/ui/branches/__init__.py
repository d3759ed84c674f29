"""Continuing elsewhere: from an earlier message, with another agent, and with a side question; the tree of branches."""
