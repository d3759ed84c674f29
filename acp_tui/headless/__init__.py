"""The front end without a screen: `acp-tui run` and the lists. Textual is never imported here."""
