"""The dialect of protocol version 2, and the drafts that came before it."""
