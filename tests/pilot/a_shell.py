"""Becomes an interactive shell with job control, as a user has it; run by test_suspend."""

import os

if __name__ == "__main__":
    os.environ["PS1"] = "SHELL$ "
    os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
