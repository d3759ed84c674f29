"""What a tool call is about: its input read, its subject and title named, its secrets hidden, its diffs found."""
