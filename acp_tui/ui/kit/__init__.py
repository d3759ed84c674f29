"""Base classes and helpers of the screen: overlays, lists with a filter, fields, hints, the theme; and the rule of
answers: which keys and clicks answer a question, and where those go that do not.
"""
