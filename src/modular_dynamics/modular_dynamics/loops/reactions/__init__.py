"""Reactions of every joint, and the rules that share them in over-constrained mechanisms."""
