"""Constraint rows of closed loops, their solution, and planar loops in closed form."""
