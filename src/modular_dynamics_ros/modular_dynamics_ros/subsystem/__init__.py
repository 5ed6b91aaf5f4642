"""subsystem_node."""
