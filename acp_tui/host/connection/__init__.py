"""The way to one agent: its process and standard error, the link that carries messages, and in which phase it is."""
