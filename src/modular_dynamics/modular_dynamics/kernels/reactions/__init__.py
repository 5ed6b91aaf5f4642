"""Reactions of joints, shared by rules."""
