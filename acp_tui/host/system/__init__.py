"""The operating system: processes and their trees, signals, threads, pseudo-terminals, paths, programs, and Git."""
