"""Settings that the user and a project have written down in TOML: found and merged (`config`), a row for each setting
(`settings_table`), checked (`settings`), what counts of it (`preferences`). Only `config_writer` writes there.
"""
