"""The terminal that we run in: keyboard, clipboard, notifications, stepping aside for another program."""
