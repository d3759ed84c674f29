"""This machine: processes and their trees, signals, threads, pseudo-terminals, paths and Git, and what an agent may ask
for of it: files inside its roots, terminals, permissions.
"""
