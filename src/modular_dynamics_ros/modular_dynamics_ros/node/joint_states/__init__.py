"""Joint states on their way to a robot: received, merged by joint, handed on, counted."""
