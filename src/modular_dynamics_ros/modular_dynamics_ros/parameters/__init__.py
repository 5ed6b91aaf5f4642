"""The parameters of all nodes."""
