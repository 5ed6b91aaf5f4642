"""What only a terminal shows."""
