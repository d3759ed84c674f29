"""What parts of the screen share: overlays, lists with a filter, one-line fields, hints, figures, the theme."""
