"""Forms that an agent asks the user to fill in: fields, rules and patterns of a JSON schema."""
