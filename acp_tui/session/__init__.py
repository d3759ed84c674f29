"""What has happened so far, and what changed; must not know anyio, JSON, protocol versions or Textual."""
