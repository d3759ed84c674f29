"""The command palette: commands, sessions, options with their values, and themes; and the use of one's own prompts."""
