"""Faults that the suite must notice: each is a piece of it written wrongly. Run `python -m tests.mutants`."""
