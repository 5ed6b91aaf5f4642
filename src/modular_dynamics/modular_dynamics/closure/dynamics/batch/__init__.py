"""Many states of a closed robot at once, and many designs."""
