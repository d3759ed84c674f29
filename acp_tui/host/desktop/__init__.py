"""Other programs of this machine: editor, browser, viewer, and the user's own shell commands."""
