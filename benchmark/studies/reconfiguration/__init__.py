"""What live_reconfiguration.py needs: a node that changes the robot, and the torques that are expected."""
