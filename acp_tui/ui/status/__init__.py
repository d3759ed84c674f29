"""The rows around the transcript: header, toasts, status line and footer."""
