"""Conversion between ROS messages and arrays: the only place where quaternions and stamps are rearranged."""
