"""What live_reconfiguration.py and live_docking.py need: nodes that change the robot, expected torques."""
