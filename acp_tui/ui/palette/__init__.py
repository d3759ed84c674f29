"""The command palette: commands of both sides, sessions, options and their values, and themes, found as one types."""
