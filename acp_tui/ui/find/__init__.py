"""Finding words in the transcript."""
