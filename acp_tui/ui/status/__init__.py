"""The status line."""
