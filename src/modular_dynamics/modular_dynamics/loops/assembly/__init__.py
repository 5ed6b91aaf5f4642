"""Positions at which all loops are closed."""
