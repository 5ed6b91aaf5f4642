"""Planar loops in closed form: positions, rates and torques, one loop after the other."""
