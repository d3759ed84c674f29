"""A wire record played on the same screen: its own line instead of the prompt, its own keys."""
