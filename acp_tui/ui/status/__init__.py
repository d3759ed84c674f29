"""The rows around the transcript: header, status line and footer."""
