"""Files that outlive a run in the state folder: small files, choices and consents, and the log."""
