"""Changes of a graph: each gives a new graph, and nothing is parsed or compiled again."""
