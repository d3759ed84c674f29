"""The screen on which an agent is chosen, installed once the user agrees, and consented to where a project names it."""
