"""Robots with closed loops in other languages: C99, CasADi."""
