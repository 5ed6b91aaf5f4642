"""Numbers of a graph by name, and graphs with other numbers."""
