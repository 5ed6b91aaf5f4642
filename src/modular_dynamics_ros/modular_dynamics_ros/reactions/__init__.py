"""torso_reaction_node."""
