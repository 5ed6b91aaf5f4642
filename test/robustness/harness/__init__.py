"""What all tests share: robots, their motion, the right torques, nodes, the count of outcomes."""
