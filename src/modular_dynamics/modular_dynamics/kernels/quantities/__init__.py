"""Sums over all bodies, motions of links, momentum."""
