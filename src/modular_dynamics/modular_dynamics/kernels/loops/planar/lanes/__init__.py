"""Planar loops for several states side by side, all on one branch: positions, rates, springs, torques."""
