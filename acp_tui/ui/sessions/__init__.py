"""Sessions beside each other, going back to earlier ones, searching all of them, and their agents as programs."""
