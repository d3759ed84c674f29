"""Sessions beside each other, and those that one can go back to."""
