"""Prompts of one's own as slash commands: Markdown files of the user, and those of a project once the user agrees."""
