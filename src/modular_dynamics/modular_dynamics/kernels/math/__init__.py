"""Arithmetic on scalars, 3-vectors and small dense matrices."""
