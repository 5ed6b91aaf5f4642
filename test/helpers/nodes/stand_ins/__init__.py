"""Programs that stand for those of ROS 2 that are not installed."""
