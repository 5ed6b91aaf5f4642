"""Compiled algorithms of closed loops on raw arrays; import-linter holds what they may import."""
