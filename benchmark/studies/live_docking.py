"""Modules dock and leave at random while joint states come: is each answered by its own body?

    python -m benchmark.studies.live_docking [--changes 1000]

assembly_node and dynamics_node run as processes. Each answer is compared with the torques of the assembly
that was in force at its stamp; that assembly is built here, from the same changes, and no URDF is read. At
the end the description must be that of an assembly built from its incidence matrix, to the last character,
and the last answer that of this description, to the bit. Then the time of a new description is measured.
"""

import argparse
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import rclpy
import yaml
from rich.console import Console
from rich.table import Table

from benchmark.studies.reconfiguration.docking_probe import ASSEMBLY, DYNAMICS, NAMES, Figures, LiveDocking
from modular_dynamics.modular import Assembly, shipped_types
from modular_dynamics_ros.assembly.files import description_of
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.values import ComputationSettings
from modular_dynamics_ros.demo.processes import Processes
from modular_dynamics_ros.dynamics.crosscheck import PinocchioCheck


def study(changes: int, rate: float = 20.0, states: float = 200.0, seed: int = 0) -> Figures:
    """Run both processes; `rate` of the changes and of the joint states [Hz]."""
    with TemporaryDirectory() as folder:
        joints = {
            f"{name}/{joint.name}": {"amplitude": 0.4, "phase": 0.7 * k}
            for k, name in enumerate(NAMES)
            for kind in shipped_types().values()
            for joint in kind.joints
            if joint.type.nv == 1
        }
        gait = Path(folder) / "gait.yaml"
        gait.write_text(yaml.safe_dump({"kind": "sine", "frequency": 0.5, "ramp": 0.5, "joints": joints}))
        with Processes(Path(folder)) as processes:
            processes.start(DYNAMICS, "autostart:=true", "stale_after:=10.0")
            processes.start(ASSEMBLY, "autostart:=true", f"rate:={states}", f"gait_file:={gait}")
            docking = LiveDocking(processes, seed)
            docking.connect()
            return docking.run(changes, rate)


def costs(modules: int, times: int = 5) -> dict[str, float]:
    """What a new description of a snake costs dynamics_node, by step [s], the fastest of some times."""
    snake = Assembly(("v0", "backbone"))
    for k in range(1, modules):
        snake = snake.dock(f"v{k - 1}", 3, f"v{k}", 4, kind="backbone")
    text, best = description_of(snake), dict[str, float]()
    for _ in range(times):
        instants = [time.perf_counter()]
        robot = load_robot(text)
        instants.append(time.perf_counter())
        Computation(robot, ComputationSettings())
        instants.append(time.perf_counter())
        PinocchioCheck.of(robot)
        instants.append(time.perf_counter())
        steps = zip(("read", "prepare", "Pinocchio"), np.diff(instants).tolist(), strict=True)
        best = {name: min(taken, best.get(name, np.inf)) for name, taken in steps}
    return best


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--changes", type=int, default=1000, help="dockings and releases (1000)")
    arguments = parser.parse_args()
    rclpy.init()
    figures, console = study(arguments.changes), Console()
    table = Table("", "", title="Modules dock and leave while joint states come at 200 Hz")
    table.add_row("dockings and releases", f"{figures.changes} at {figures.rate:.1f} Hz")
    table.add_row("refused by the assembly", str(figures.refused))
    for name in ("sent", "answered", "lost"):
        table.add_row(f"joint states {name}", str(getattr(figures, name)))
    table.add_row("answers with torques of another body", str(figures.wrong))
    for name, (was, now) in figures.memory.items():
        table.add_row(f"memory of {name} after a tenth, at the end", f"{was:.1f} MB, {now:.1f} MB")
    table.add_row("last description as of a new assembly", "yes" if figures.same_text else "NO")
    table.add_row("last answer as of a new graph, to the bit", "yes" if figures.same_bits else "NO")
    console.print(table)
    for modules in (10, 100):
        steps = costs(modules)
        words = ", ".join(f"{name} {1e3 * taken:.1f} ms" for name, taken in steps.items())
        console.print(f"a new description of {modules} modules: {words}")
    rclpy.shutdown()


if __name__ == "__main__":
    main()
