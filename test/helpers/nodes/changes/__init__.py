"""Requests to change a robot while joint states come."""
