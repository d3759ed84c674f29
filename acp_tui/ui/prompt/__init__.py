"""The prompt: the editor, its completions and attachments, the queue and what is sent."""
