"""Figures of Meister & Gutenkunst: its organism and table, two benchmarks beside Lagrange's equations."""
