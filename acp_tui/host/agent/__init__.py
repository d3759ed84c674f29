"""One running agent: what serves it while it is connected, its log-ins and what it asks of us."""
