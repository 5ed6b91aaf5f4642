"""From a joint state to torques, without ROS."""
