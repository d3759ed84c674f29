"""The panel for forms and addresses, and for the options before a session."""
