"""What is not committed: the files of folders as they are now against Git's HEAD, byte by byte. Nothing that a checkout
names is run, nothing is written there, and nothing is kept.
"""
