"""`python -m modular_dynamics_ros.demo`."""

import argparse
import sys
from pathlib import Path

from modular_dynamics_ros.demo.run import Options, run


def main() -> int:
    """Read the command line and run the demo."""
    root = Path.cwd()
    parser = argparse.ArgumentParser(
        prog="python -m modular_dynamics_ros.demo",
        description="Play a motion through dynamics_node, compare every answer with Pinocchio, and draw it.",
    )
    parser.add_argument(
        "--rate", type=float, default=200.0, help="joint states per second (default: %(default)g)"
    )
    parser.add_argument("--out", type=Path, default=root / "out/demo", help="folder for plots and logs")
    parser.add_argument(
        "--urdf", type=Path, default=root / "urdf/charmie.urdf", help="robot, tagged with subsystems"
    )
    parser.add_argument(
        "--motion",
        type=Path,
        default=root / "config/charmie_motion.yaml",
        help="motion: .yaml, .csv with a_ columns",
    )
    parser.add_argument(
        "--params", type=Path, default=root / "config/charmie.yaml", help="parameters of both nodes"
    )
    return run(Options(**vars(parser.parse_args())))


if __name__ == "__main__":
    sys.exit(main())
