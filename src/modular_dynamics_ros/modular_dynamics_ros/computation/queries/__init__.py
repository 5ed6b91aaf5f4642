"""What the services of dynamics_node compute on request."""
