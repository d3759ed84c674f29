"""What the user (and a project) has written down in TOML: read, checked, merged. Nothing is ever written there."""
