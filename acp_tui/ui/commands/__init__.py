"""Commands as rows of a table (`conversation_commands`, `program_commands`): bindings, footer, help, palette and the
pages' keys are made from it.
"""
