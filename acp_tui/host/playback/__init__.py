"""A wire record read again: its lines through the same dialects and conversations. Nothing that it names is touched."""
