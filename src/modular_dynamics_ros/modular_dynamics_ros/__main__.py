"""Starts a node: `python -m modular_dynamics_ros NODE [--help] [--ros-args ...]`, and `ros2 run`."""

import signal
import sys
from functools import partial
from importlib import import_module

#: The module of each node.
NODES = {
    "assembly_node": "modular_dynamics_ros.assembly.node",
    "dynamics_node": "modular_dynamics_ros.dynamics.node",
    "joint_state_player": "modular_dynamics_ros.player",
    "moveit_payload_node": "modular_dynamics_ros.moveit.node",
    "subsystem_node": "modular_dynamics_ros.subsystem.node",
    "torso_reaction_node": "modular_dynamics_ros.reactions",
}
HELP = f"""usage: python -m modular_dynamics_ros NODE [--help] [--ros-args ...]

nodes: {", ".join(NODES)}
NODE --help prints the parameters of a node."""


def _run(name: str) -> int:
    """Import a node and run it; return the exit code."""
    # until the node handles signals itself, Ctrl-C ends the process without a KeyboardInterrupt, which no
    # module expects in the middle of its import
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return int(import_module(NODES[name]).main())


# the programs of `ros2 run`
assembly_node = partial(_run, "assembly_node")
dynamics_node = partial(_run, "dynamics_node")
joint_state_player = partial(_run, "joint_state_player")
moveit_payload_node = partial(_run, "moveit_payload_node")
subsystem_node = partial(_run, "subsystem_node")
torso_reaction_node = partial(_run, "torso_reaction_node")


def main() -> int:
    """Run the node that the command line names first, or print help; return the exit code."""
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
