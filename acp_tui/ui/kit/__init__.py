"""Base classes and helpers of the screen: overlays, lists with a filter, fields and line editing, hints, the theme."""
