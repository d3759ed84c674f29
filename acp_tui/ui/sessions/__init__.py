"""Sessions beside each other, and going back to earlier ones; their subagents, and the sessions of a wire record."""
