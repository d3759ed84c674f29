"""The agents there are (known, of the registry, the user's own), the plan to launch one, and installing one.

Installing is only where the user asks for it, and outside every project.
"""
