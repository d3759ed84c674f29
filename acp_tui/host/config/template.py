"""What a new config file holds: everything there is, as comments."""

TEMPLATE = """\
# Settings of acp-tui. A project may have a file like this too, named .acp-tui.toml; what it starts needs your consent.
# What begins with # does nothing: take the # away.

# theme = "acp-light"              # acp-dark, acp-light, or any of the list that "Pick a theme" (Ctrl+P) shows
# default_agent = "opencode"       # acp-tui alone starts it; acp-tui --agent shows the list

# How the terminal tells that an agent has finished or asks something, while you look elsewhere:
# notifications = "desktop"        # or "bell", or "off"

# A registry of agents, by path or address: they are listed beside those that are known anyway.
# registry = "https://example.com/registry.json"

# Relative paths are relative to the folder of this file.
# [agents.mine]
# title = "My agent"
# command = "my-agent"             # not needed for an agent that acp-tui knows: see acp-tui agents
# args = ["--acp"]
# env = { MY_VARIABLE = "value" }
# env_file = "~/.secrets/my-agent.env"   # lines of NAME=value
# cwd = "~/project"                # works here, unless --cwd says otherwise
# roots = ["../shared"]            # further folders
# protocol = "1"                   # "1", "2" or "auto"
# fs = true                        # false: does not read and write files through acp-tui; "write": only writes
# terminal = true                  # false: does not run commands through acp-tui
#
# [agents.mine.mcp_servers.files]
# command = "mcp-server-files"
# args = ["."]
#
# [agents.mine.mcp_servers.docs]
# type = "http"                    # or "sse"
# url = "https://example.com/mcp"
# headers = { Authorization = "Bearer ..." }

# Keys by the id of a command (acp-tui config --print lists them all). A key after the leader: "ctrl+x m".
# [keys]
# pick_model = ["alt+m", "f2"]
# toggle_plan = "ctrl+l"
# leader = "ctrl+x"
"""
