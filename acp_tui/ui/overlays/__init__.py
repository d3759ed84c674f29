"""Screens that lie over the conversation for a while: help, palette, notices, standard error."""
