"""The clock of what must go on while system time is set, and while a simulation stands still."""

from rclpy.clock import Clock, ClockType

__all__ = ["STEADY_CLOCK"]

STEADY_CLOCK = Clock(clock_type=ClockType.STEADY_TIME)
