"""`python -m modular_dynamics_ros.demo`."""

import os
import signal
import sys

INTERRUPTED = 130  # as shells count a process that SIGINT has ended


def main() -> int:
    """Read the command line and run the demo."""
    # importing takes seconds, and no module expects an exception in the middle of that
    before = signal.signal(signal.SIGINT, lambda number, frame: os._exit(INTERRUPTED))
    from modular_dynamics_ros.demo.command_line import read_command_line  # noqa: PLC0415
    from modular_dynamics_ros.demo.run import run  # noqa: PLC0415

    signal.signal(signal.SIGINT, before)
    try:
        return run(read_command_line())
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
