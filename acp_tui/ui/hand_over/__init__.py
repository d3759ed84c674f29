"""Handing a conversation over to another agent: the digest in its prompt, the line that tells its size, the links."""
