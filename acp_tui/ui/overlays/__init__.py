"""Screens that lie over the conversation for a while: help, notices, standard error, facts of the session."""
