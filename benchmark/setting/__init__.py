"""The machine, the robots, the states, and how time is taken."""
