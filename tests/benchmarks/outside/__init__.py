"""The whole program from the outside: on a pseudo-terminal, with a scripted agent, beside the least client there is."""
