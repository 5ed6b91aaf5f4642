"""Black boxes of dynamics_node, without ROS: sensors, tare, identified payloads."""
