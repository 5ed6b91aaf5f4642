"""Robots of the tests: descriptions, states, motions and rules."""
