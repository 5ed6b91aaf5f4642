"""Motion of a mechanism over time."""
