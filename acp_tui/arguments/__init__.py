"""The command line: its options and commands, the help, and what is said where something else was most likely meant."""
