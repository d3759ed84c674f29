"""The screen on which an agent is chosen, and the consent that a project's agent needs."""
