"""Wrenches from topics, without ROS: their frames, and which of them are valid at an instant."""
