"""Conversations: one session with one agent each, how it is opened, found again, steered, replayed, and its options."""
