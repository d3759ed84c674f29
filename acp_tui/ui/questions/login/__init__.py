"""The panel for the log-in that an agent wants before it goes on."""
