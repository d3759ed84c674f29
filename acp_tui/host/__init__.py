"""The client itself: agents as processes, their sessions, and what they may ask of this machine. It knows anyio and
nothing of Textual.
"""
