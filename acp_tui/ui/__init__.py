"""The screen. It knows Textual, keys and pixels, and nothing of bytes, JSON, protocol versions or processes."""
