"""Independent computations of what the library computes."""
