"""What the user and a project have written down in TOML: the files found and merged (`config`), their values checked
(`settings`). Only `writing` writes there, what was installed.
"""
