"""What is kept of snapshots when sessions have ended: by folder and session, read again, and deleted with its bytes."""
