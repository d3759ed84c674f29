"""Questions that wait for the user: which one is next, and the panels that ask it: permissions, forms, logins."""
