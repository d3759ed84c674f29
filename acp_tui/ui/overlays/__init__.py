"""Overlays of the conversation: the leader's menu, and panels of text with help, notices, standard error and facts."""
