"""Inverse, forward and hybrid dynamics with closed loops, derivatives and regressor."""
