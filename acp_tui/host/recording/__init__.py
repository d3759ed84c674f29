"""The wire, observed: the traffic, the inspector's messages, and `--record` files without secrets."""
