"""Robustness tests of nodes and library, by random faults with fixed seeds."""
