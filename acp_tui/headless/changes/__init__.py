"""Snapshots on the command line: what a session changed as a patch, and what is kept, listed and deleted."""
