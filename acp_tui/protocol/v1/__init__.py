"""The version 1 dialect."""
