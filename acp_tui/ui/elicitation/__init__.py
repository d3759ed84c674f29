"""The docked panel with what the agent asks by forms and addresses, and with the options before a session."""
