"""Lines edited as in a shell: what each key deletes, and the ring from which it is yanked again."""
