"""The parts of prompts: drafts and history, mentions of the project's files and their index, and prompts of one's
own as slash commands: Markdown files of the user, and those of a project once the user agrees.
"""
