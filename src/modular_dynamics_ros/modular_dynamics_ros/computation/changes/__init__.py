"""Changes of a robot while a node runs, as a list that is applied to its description."""
