"""The transcript as one scrolling view: layout, heights, painting, selection. It knows units, not what they draw."""
