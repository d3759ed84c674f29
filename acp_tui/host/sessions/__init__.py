"""Conversations: one session with one agent each, how it is opened, found again, steered and replayed."""
