"""joint_state_player."""
