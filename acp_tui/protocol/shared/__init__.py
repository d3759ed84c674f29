"""What both dialects do alike: reading updates and options, writing calls."""
