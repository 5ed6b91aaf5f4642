"""The demo: the care robot's published motion through real ROS 2, its table and its pictures."""
