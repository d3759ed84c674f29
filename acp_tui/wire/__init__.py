"""JSON-RPC 2.0 over lines, without input or output of its own."""
