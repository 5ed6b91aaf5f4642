"""Joint accelerations: from a reference, or from measured velocities."""
