"""What the user can do, as rows of a table (`conversation`, `program`): bindings, footer, help, palette and the
README's keys are made from it.
"""
