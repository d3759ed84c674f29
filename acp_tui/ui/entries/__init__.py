"""How each entry of the transcript is drawn: messages, plans, notices, pictures, terminals."""
