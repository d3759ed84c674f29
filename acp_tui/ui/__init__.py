"""The screen: Textual, keys, pixels; must not know bytes, JSON, protocol versions or processes."""
