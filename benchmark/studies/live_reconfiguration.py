"""A gripper and loads come and go while joint states come at 500 Hz: is each answered by the robot in force?

    python -m benchmark.studies.live_reconfiguration [--times 1000] [--urdf urdf/charmie.urdf]

dynamics_node runs as a process. Each answer is compared with the torques of a graph that is loaded and
changed anew as the robot was at its stamp, and with Pinocchio's of a URDF that says the same.
"""

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

import rclpy
from rich.console import Console
from rich.table import Table

from benchmark.studies.reconfiguration.probe import DYNAMICS, Figures, LiveReconfiguration
from modular_dynamics_ros.demo.processes import Processes

ROBOT, LINK = Path("urdf/charmie.urdf"), "body_12b"


def study(
    times: int, urdf: Path = ROBOT, link: str = LINK, rate: float = 500.0, pause: float = 0.02, seed: int = 0
) -> Figures:
    """Run the node; attach, load and detach so many times, `pause` [s] apart."""
    with TemporaryDirectory() as folder, Processes(Path(folder)) as processes:
        keeps = Path(folder) / "changes.yaml"
        file = f"robot_description_file:={urdf.resolve()}"
        processes.start(DYNAMICS, "autostart:=true", file, f"changes_file:={keeps}", "stale_after:=10.0")
        probe = LiveReconfiguration(processes, urdf, link, rate, seed)
        try:
            probe.connect()
            return probe.run(times, pause)
        finally:
            probe.close()


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--times", type=int, default=1000, help="of attaching, loading, detaching (1000)")
    parser.add_argument("--urdf", type=Path, default=ROBOT, help=f"the robot ({ROBOT})")
    parser.add_argument("--link", default=LINK, help=f"that carries gripper and loads ({LINK})")
    arguments = parser.parse_args()
    rclpy.init()
    figures = study(arguments.times, arguments.urdf, arguments.link)
    table = Table("", "", title="A gripper and loads come and go while joint states come at 500 Hz")
    changes = f"{figures.attached}, {figures.loads}, {figures.detached}"
    table.add_row("attached, loaded, detached", f"{changes}; {figures.rate:.1f} changes a second")
    for name in ("sent", "answered", "lost"):
        table.add_row(f"joint states {name}", str(getattr(figures, name)))
    table.add_row("times that one waited for the node", str(figures.held))
    table.add_row("answers with torques of another robot", str(figures.wrong))
    for text in figures.details[:5]:
        table.add_row("such an answer", text)
    table.add_row("largest difference, relative", f"{figures.largest:.1e}")
    said = ", ".join(f"{key} {value}" for key, value in figures.reported.items())
    table.add_row("said of them in /diagnostics", said or "nothing")
    for when, delays in (("without changes", figures.before), ("with changes", figures.during)):
        words = ", ".join(f"{1e3 * delay:.2f}" for delay in delays)
        table.add_row(f"stamp to answer {when}: median, 99 %, largest", f"{words} ms")
    table.add_row("slowest change", f"{1e3 * figures.slowest:.1f} ms")
    was, now = figures.memory
    table.add_row("memory after a tenth, at the end", f"{was:.1f} MB, {now:.1f} MB")
    Console().print(table)
    rclpy.shutdown()


if __name__ == "__main__":
    main()
