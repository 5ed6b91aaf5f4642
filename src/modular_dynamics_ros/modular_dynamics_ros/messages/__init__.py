"""Conversion between ROS messages and arrays."""
