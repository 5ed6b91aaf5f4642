"""moveit_payload_node: what MoveIt has attached to the robot becomes payloads of dynamics_node."""
