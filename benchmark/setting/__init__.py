"""The machine, the robots, the states, and the timing."""
