"""What parts of the screen share: overlays, lists with a filter, fields and line editing, hints, figures, the theme."""
