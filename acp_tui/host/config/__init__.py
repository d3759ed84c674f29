"""What the user and a project have written down in TOML: read, checked, merged. Nothing is ever written there."""
