"""Which agents there are and how one is started: the known ones, the registry's and the user's own."""
