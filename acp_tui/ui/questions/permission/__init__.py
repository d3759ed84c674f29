"""The panel for permission requests."""
