"""What the user chose: config options kept from session to session, options by name, options before a session."""
