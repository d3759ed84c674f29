"""The docked panel that asks the user."""
