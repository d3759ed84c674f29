"""The traffic as messages: what was said, how long answers took, what is wrong."""
