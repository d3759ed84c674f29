"""Which agents there are and how one is started: the known ones, the registry, the user's and the project's own."""
