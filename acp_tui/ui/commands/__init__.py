"""What the user can do, as data: footer, help, palette and key table are made from it."""
