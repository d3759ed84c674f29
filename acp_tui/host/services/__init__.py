"""What an agent may ask of this machine: files inside its roots, terminals, permissions."""
