"""The prompt editor, its history and its completion."""
