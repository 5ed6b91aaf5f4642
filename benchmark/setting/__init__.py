"""The robots, the states, and the timing."""
