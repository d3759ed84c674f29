"""The settings screen: what the config file has and where each value comes from, changed in the user's own file."""
