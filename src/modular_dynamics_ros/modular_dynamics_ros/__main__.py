"""Where nodes start: `python -m modular_dynamics_ros NODE [--help] [--ros-args ...]`, and `ros2 run`."""

import signal
import sys
from importlib import import_module

__all__ = [
    "assembly_node",
    "dynamics_node",
    "joint_state_player",
    "main",
    "moveit_payload_node",
    "subsystem_node",
    "torso_reaction_node",
]

#: The module of each node.
NODES = {
    "assembly_node": "modular_dynamics_ros.assembly.node",
    "dynamics_node": "modular_dynamics_ros.dynamics.node",
    "joint_state_player": "modular_dynamics_ros.player",
    "moveit_payload_node": "modular_dynamics_ros.moveit.node",
    "subsystem_node": "modular_dynamics_ros.subsystem.node",
    "torso_reaction_node": "modular_dynamics_ros.reactions.node",
}
HELP = f"""usage: python -m modular_dynamics_ros NODE [--help] [--ros-args ...]

nodes: {", ".join(NODES)}
NODE --help prints the parameters of a node."""


def _run(name: str) -> int:
    """Import a node and run it; return the exit code."""
    # until the node handles signals itself, Ctrl-C ends the process as the system does by default: no module
    # expects a KeyboardInterrupt in the middle of its import
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return int(import_module(NODES[name]).main())


def assembly_node() -> int:
    """Return `ros2 run modular_dynamics_ros assembly_node`."""
    return _run("assembly_node")


def dynamics_node() -> int:
    """Return `ros2 run modular_dynamics_ros dynamics_node`."""
    return _run("dynamics_node")


def joint_state_player() -> int:
    """Return `ros2 run modular_dynamics_ros joint_state_player`."""
    return _run("joint_state_player")


def moveit_payload_node() -> int:
    """Return `ros2 run modular_dynamics_ros moveit_payload_node`."""
    return _run("moveit_payload_node")


def subsystem_node() -> int:
    """Return `ros2 run modular_dynamics_ros subsystem_node`."""
    return _run("subsystem_node")


def torso_reaction_node() -> int:
    """Return `ros2 run modular_dynamics_ros torso_reaction_node`."""
    return _run("torso_reaction_node")


def main() -> int:
    """Run the node that the command line names first, or print which there are where it asks for help."""
    if sys.argv[1:2] in (["--help"], ["-h"]):
        print(HELP)
        return 0
    if len(sys.argv) < 2 or sys.argv[1] not in NODES:
        error = f"no node {sys.argv[1]!r}" if len(sys.argv) > 1 else "which node?"
        print(f"{error}; python -m modular_dynamics_ros {{{','.join(NODES)}}} ...", file=sys.stderr)
        return 2
    return _run(sys.argv.pop(1))


if __name__ == "__main__":
    sys.exit(main())
