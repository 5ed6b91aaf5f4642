"""Inverse, forward and hybrid dynamics with closed loops, and their regressor."""
