"""Inverse dynamics without wrenches: torques alone, in fewer operations than :mod:`..newton_euler` needs."""
