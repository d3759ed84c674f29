"""ACP's words as pydantic models, shaped like protocol 2, and the dialects."""
