"""Changes of the robot while dynamics_node runs: services, a file that keeps them, and the description."""
