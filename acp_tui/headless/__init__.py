"""The front end without a screen: `acp-tui run`, and the lists and the config that the command line prints. Textual is
never imported here.
"""
