"""Joint states that have nothing unusual, answered in fewer steps."""
