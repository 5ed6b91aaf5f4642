"""Attacks on the whole project, with fixed seeds."""
