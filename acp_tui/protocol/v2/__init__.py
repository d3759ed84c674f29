"""The version 2 dialect, and the drafts that came before it."""
