"""What was recorded, on the screen: found by its words, read again."""
