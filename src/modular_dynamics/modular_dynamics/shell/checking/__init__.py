"""What `check` computes: a trial at rest, and agreement with Pinocchio."""
