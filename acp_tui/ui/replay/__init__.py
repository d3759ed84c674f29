"""A record of the wire played on the same screen: its own line instead of the prompt, its own keys."""
