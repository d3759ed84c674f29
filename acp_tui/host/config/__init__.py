"""What the user and a project have written down in TOML: found and merged (`config`), checked (`settings`), in words
(`words`), what counts of it (`preferences`). Only `writing` writes there.
"""
