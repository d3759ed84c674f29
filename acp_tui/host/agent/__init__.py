"""One running agent: what serves it while it is connected, its logins and what it asks of us."""
