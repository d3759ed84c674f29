"""ACP as models shaped like protocol 2, and the dialects that read and write versions 1 and 2; `capabilities` has
what we say first. It knows pydantic and no session.
"""
