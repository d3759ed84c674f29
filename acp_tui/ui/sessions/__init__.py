"""Sessions beside each other, going back to earlier ones, and what the user does with them and their agents."""
