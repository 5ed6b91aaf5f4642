"""Loops that Newton's method closes, in one compiled function: its arrays, and calls with one state."""
