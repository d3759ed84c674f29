"""Snapshots of a work tree: what was in a folder at one moment, byte by byte, in a private store of our own. It knows
files, and Git for what is ignored; what runs in the child process needs nothing but the standard library.
"""
