"""The small pure parts of the screen."""
