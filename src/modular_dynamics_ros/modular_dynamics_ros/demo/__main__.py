"""`python -m modular_dynamics_ros.demo`."""

import signal
import sys

INTERRUPTED = 130  # as shells report a process that SIGINT has ended


def main() -> int:
    """Read the command line and run the demo."""
    # importing takes seconds; no module expects a KeyboardInterrupt in the middle of its import
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    from modular_dynamics_ros.demo.run import read_command_line, run  # noqa: PLC0415  # see above

    signal.signal(signal.SIGINT, before)
    try:
        return run(read_command_line())
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
