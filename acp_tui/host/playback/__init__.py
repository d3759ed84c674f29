"""A wire record played again through the same client: its lines are the agent, and what the user did is done again."""
