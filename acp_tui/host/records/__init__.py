"""Sessions recorded as they happen, one file each, and read again."""
