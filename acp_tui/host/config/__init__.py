"""Settings and state: what the user and a project have written down in TOML, found and merged (`config`), a row each
(`settings_table`), checked (`settings`), what counts of it (`preferences`), and written only by
`config_writer`; and the files that outlive a run in the state folder, with choices, consents and the log.
"""
