"""Loop joints, gears and springs as constraint rows."""
