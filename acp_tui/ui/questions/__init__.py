"""What waits for the user: which question is next, and the panels that ask it."""
