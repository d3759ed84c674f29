"""What the person (and a project) has written down in TOML: read, checked, merged. Nothing is ever written there."""
