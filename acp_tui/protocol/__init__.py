"""ACP as models shaped like protocol 2, and the dialects that read and write versions 1 and 2; `introduction` is what
we say first. It knows pydantic and no session.
"""
