"""The operating system: processes and their trees, signals, threads, pseudo-terminals, memory, and Git."""
