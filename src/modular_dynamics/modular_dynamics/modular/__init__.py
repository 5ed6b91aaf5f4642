"""Modular robots: modules dock, and the model builds itself (Meister & Gutenkunst)."""
