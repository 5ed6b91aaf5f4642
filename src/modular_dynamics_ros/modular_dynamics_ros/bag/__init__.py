"""The computation of dynamics_node over recorded messages, without ROS: `modular-dynamics bag`."""
