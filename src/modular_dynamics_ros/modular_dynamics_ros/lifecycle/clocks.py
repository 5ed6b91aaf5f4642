"""The clock of what must go on while system time is set, and while a simulation stands still."""

from rclpy.clock import Clock, ClockType

__all__ = ["CLOCK_SET_BACK", "STEADY_CLOCK"]

CLOCK_SET_BACK = 1_000_000_000  # [ns] a smaller step is a difference between the clocks of two computers

STEADY_CLOCK = Clock(clock_type=ClockType.STEADY_TIME)
