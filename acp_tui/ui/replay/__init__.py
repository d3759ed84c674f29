"""The sessions of a wire record on the screen, read-only, with the inspector of what passed."""
