"""What can be done with a content block or an address that the agent sent."""
