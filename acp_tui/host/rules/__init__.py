"""Rules that answer permission requests in the user's place: the grammar of commands, the programs that only read, the
rules' file, and what can be offered. A request is the agent's claim; nothing here can check it.
"""
