"""Review: comments on lines of diffs and plans, marks on what was read, and one prompt made of the comments."""
