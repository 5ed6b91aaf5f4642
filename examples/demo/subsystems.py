"""One subsystem_node for each subsystem of a robot, as plain processes.

It starts the nodes that launch/subsystems.launch.py starts, where `launch` is not installed:

  python -m examples.demo.subsystems urdf/charmie.urdf --params config/subsystems.yaml

On several computers: --only NAME ... on each of them.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import modular_dynamics as md
from examples.demo.processes import Processes
from modular_dynamics_ros.exceptions import RobotError
from modular_dynamics_ros.node.topic_names import subsystem_nodes

LOOK_PERIOD = 0.2  # [s] from one look for processes that have ended to the next


def started_nodes(urdf: Path, partition: Path | None, only: Sequence[str] = ()) -> dict[str, str]:
    """Return names of the nodes by subsystem.

    Args:
        only: subsystems; empty: all that are no black boxes.

    Raises:
        RobotError: the robot cannot be computed so, or has no such subsystem.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.ModelWarning)  # the nodes log them
        nodes = subsystem_nodes(md.load_urdf(urdf, partition))
    if unknown := [name for name in only if name not in nodes]:
        raise RobotError(f"no subsystem '{unknown[0]}' that can be computed; there are {', '.join(nodes)}")
    return {name: node for name, node in nodes.items() if not only or name in only}


def start_subsystem(
    processes: Processes,
    subsystem: str,
    node: str,
    urdf: Path,
    *parameters: str,
    partition: Path | None = None,
    params_file: Path | None = None,
    namespace: str = "",
) -> None:
    """Start the node of one subsystem, which configures and activates itself."""
    own = [f"subsystem:={subsystem}", f"robot_description_file:={urdf}", "autostart:=true", *parameters]
    own += [f"partition_file:={partition}"] if partition else []
    processes.start("subsystem_node", *own, params_file=params_file, name=node, namespace=namespace)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the nodes until Ctrl-C, or until one of them ends."""
    options = _options(arguments)
    try:
        nodes = started_nodes(options.urdf, options.partition, options.only)
    except (md.ModularDynamicsError, RobotError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    options.logs.mkdir(parents=True, exist_ok=True)
    files = {"partition": options.partition, "params_file": options.params}
    with Processes(options.logs) as processes, suppress(KeyboardInterrupt):
        for subsystem, node in nodes.items():
            start_subsystem(processes, subsystem, node, options.urdf, **files, namespace=options.namespace)
            print(f"{subsystem}: node {node}, log {options.logs / node}.log", flush=True)
        while True:
            time.sleep(LOOK_PERIOD)
            for node in nodes.values():
                if (code := processes.code(node)) is not None:
                    print(f"{node} ended with code {code}:\n{processes.log(node)}", file=sys.stderr)
                    return 1
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m examples.demo.subsystems",
        description="Run one subsystem_node for each subsystem of a robot, until Ctrl-C.",
    )
    add = parser.add_argument
    add("urdf", type=Path, help="robot, tagged with subsystems")
    add("--partition", type=Path, help="YAML file with the content of the tags")
    add("--params", type=Path, help="YAML file of the nodes' parameters, such as config/subsystems.yaml")
    add("--only", nargs="+", default=[], metavar="NAME", help="subsystems of this computer; default: all")
    add("--namespace", default="", help="of all nodes, such as /left")
    add("--logs", type=Path, default=Path("out/subsystems"), help="folder of the nodes' logs")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
