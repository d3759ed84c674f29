"""Lines and JSON-RPC 2.0, without input or output of its own; must not know ACP, anyio or Textual."""
