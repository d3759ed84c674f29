"""Going on from an earlier message: the list of one's messages, how a branch comes to be, the tree of branches, and
side questions.
"""
