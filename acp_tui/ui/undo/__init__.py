"""Undo of changes of files on the screen: what would happen, path by path, doing and redoing it. Which changes there
are it is told by others.
"""
