"""The meaning of a tool call: its input read, its subject and title named, its diffs found."""
