"""Reactions of the torso of CHARMIE: Goncalves et al."""
