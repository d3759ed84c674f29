"""Records: sessions as they happen, one file each, and read again; and the wire, observed: the traffic, the inspector's
messages, and `--record` files without secrets.
"""
