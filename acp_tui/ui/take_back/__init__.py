"""Taking changes of files back on the screen: what would happen, path by path, doing and undoing it, and the line that
tells the agent. Which changes there are it is told by others.
"""
