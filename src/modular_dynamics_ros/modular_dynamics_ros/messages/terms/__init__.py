"""What dynamics_node publishes of an answer besides torques, as messages; arrows of both nodes."""
