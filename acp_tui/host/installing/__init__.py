"""Installing agents where the user asks for it: what is run, outside every project, and what the config says then."""
