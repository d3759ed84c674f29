"""Choosing an agent before there is one: the list, and the consent that a project's agent needs."""
