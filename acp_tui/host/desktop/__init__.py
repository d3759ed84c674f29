"""Other programs of this machine: editor, browser, viewer, clipboard, and the user's own shell commands."""
