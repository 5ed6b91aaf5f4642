"""dynamics_node."""
