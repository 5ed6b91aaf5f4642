"""A graph as the arrays that kernels and exported code work on; what callers pass."""
