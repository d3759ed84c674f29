"""Services of this machine that an agent may ask for: files inside its roots, and terminals."""
