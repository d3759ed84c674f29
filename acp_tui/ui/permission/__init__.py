"""The docked panel that asks the person."""
