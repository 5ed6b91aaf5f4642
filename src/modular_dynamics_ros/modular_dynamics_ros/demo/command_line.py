"""The command line of the demo, with bounds and with defaults that hold in every folder."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory

from modular_dynamics_ros.demo.run import Options
from modular_dynamics_ros.parameters.nodes import PlayerParameters
from modular_dynamics_ros.parameters.table import checked

__all__ = ["read_command_line"]

RATE = PlayerParameters.__dataclass_fields__["rate"]


def read_command_line(arguments: Sequence[str] | None = None) -> Options:
    """The options in `arguments`, or on the command line; argparse ends the process where one is refused."""
    files, bounds = _files(), RATE.metadata["spec"]
    parser = argparse.ArgumentParser(
        prog="python -m modular_dynamics_ros.demo",
        description="Play a motion through dynamics_node, compare every answer with Pinocchio, and draw it.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
        epilog="Paths are relative to the current folder. Nothing is written before all inputs are checked.",
    )

    def add(name: str, default: Path, text: str) -> None:
        parser.add_argument(name, type=Path, default=default, help=text)

    text = f"joint states per second, {bounds.low:g} to {bounds.high:g} Hz"
    parser.add_argument("--rate", type=_rate, default=RATE.default, help=text)
    add("--out", Path("out/demo"), "folder for plots and logs")
    add("--urdf", files / "urdf/charmie.urdf", "robot, tagged with subsystems")
    add("--motion", files / "config/charmie_motion.yaml", "motion: .yaml, .csv with a_ columns")
    add("--params", files / "config/charmie.yaml", "parameters of both nodes")
    text = "also play the real torso through torso_reaction_node (default: with the default robot)"
    parser.add_argument("--torso", action=argparse.BooleanOptionalAction, default=None, help=text)
    given = vars(parser.parse_args(arguments))
    wanted = given.pop("torso")
    torso = given["urdf"] == files / "urdf/charmie.urdf" if wanted is None else wanted
    return Options(**given, torso=files if torso else None)


def _rate(text: str) -> float:
    try:
        return float(checked(RATE, float(text)))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _files() -> Path:
    """Where urdf/ and config/ are: the checkout that this file is in, or what was installed."""
    checkout = Path(__file__).resolve().parents[4]
    if (checkout / "urdf/charmie.urdf").is_file():
        return checkout
    try:
        return Path(get_package_share_directory("modular_dynamics_bringup"))
    except PackageNotFoundError:
        return Path()
