"""Services of dynamics_node that compute something on request, beside the answers to joint states."""
