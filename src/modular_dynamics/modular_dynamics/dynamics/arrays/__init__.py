"""A graph as the arrays that the kernels work on."""
