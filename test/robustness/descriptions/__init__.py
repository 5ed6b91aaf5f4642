"""Damaged robot descriptions: what a node may be sent, by accident or on purpose."""
