"""Content that is on the screen: words are found in it, and it is copied, exported and opened in other programs."""
