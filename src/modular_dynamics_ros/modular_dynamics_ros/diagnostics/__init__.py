"""What nodes report about themselves: /diagnostics and the log."""
