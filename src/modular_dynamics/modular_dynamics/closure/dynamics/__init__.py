"""Inverse and forward dynamics with closed loops."""
