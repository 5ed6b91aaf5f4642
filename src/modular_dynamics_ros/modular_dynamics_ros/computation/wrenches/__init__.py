"""What dynamics_node computes for its black boxes, without ROS: motions, matching by stamp, tare, payload."""
