"""The prompt: the editor and vim's keys, its completions and attachments, banners, the queue and what is sent."""
