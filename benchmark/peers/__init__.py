"""Other libraries on the same robots."""
