"""Config options on the screen: the selector bar, the list to choose from, the offer to keep what was chosen."""
