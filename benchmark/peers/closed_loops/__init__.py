"""Inverse dynamics of robots with closed loops by other libraries, at states that are closed already."""
