"""Lines and JSON-RPC 2.0, without input or output of its own."""
