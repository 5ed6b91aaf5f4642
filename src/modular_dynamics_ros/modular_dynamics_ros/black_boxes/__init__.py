"""What dynamics_node does for its black boxes besides taking their wrenches: motions, measuring, services."""
