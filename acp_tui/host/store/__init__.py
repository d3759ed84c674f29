"""What outlives a run in the state folder: drafts, prompt history, consents, the log and how the view was left."""
