"""The sidebar: plan, changed files, terminals, usage, and the file that the agent works on."""
