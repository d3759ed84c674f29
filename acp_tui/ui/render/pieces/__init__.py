"""A growing text cut into pieces that are laid out by themselves: safe lines, and Markdown by its lines and blocks."""
