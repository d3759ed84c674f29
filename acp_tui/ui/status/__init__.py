"""The rows around the transcript and beside it: header, toasts, status line, config options, footer and the sidebar."""
