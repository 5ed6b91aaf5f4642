"""Nodes that test other nodes: they send, receive and wait for conditions."""
