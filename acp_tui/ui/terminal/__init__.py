"""The terminal that we run in: keyboard, colours, clipboard, notifications, stepping aside for another program."""
