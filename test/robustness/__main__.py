"""`python -m robustness`, in test/: all tests, then the table; exit code 1 on any wrong or died."""

import argparse
import os
import signal
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from rich.console import Console

from helpers.nodes.ros_domain import reserve_ros_domain
from helpers.paths import ROOT
from robustness.harness.tally import Effort, Tally, print_table

#: Tests and their functions in this folder, in the order in which they are made.
TESTS = {
    "urdf": "descriptions.damaged.urdfs",
    "yaml": "descriptions.damaged.partition_files",
    "messages": "messages.run",
    "parts": "joint_states.parts",
    "floods": "joint_states.floods",
    "clocks": "clocks.run",
    "transitions": "transitions.run",
    "parameters": "parameters.run",
    "processes": "processes.kills",
    "silence": "joint_states.silence",
    "disk": "processes.full_disk",
    "growth": "growth.run",
    "subsystems": "subsystems.run",
    "changes": "subsystems.unnamed_changes",
    "reconfiguration": "reconfiguration.run",
    "modules": "harness.modules.run",
    "soak": "soak.run",
}
OUT = ROOT / "out" / "robustness"


def read_command_line(words: list[str] | None = None) -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(prog="python -m robustness", description=__doc__)
    parser.add_argument("--short", action="store_true", help="about two minutes instead of 50")
    parser.add_argument("--only", nargs="+", choices=TESTS, default=list(TESTS), metavar="NAME",
                        help=f"some of {', '.join(TESTS)}")  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, help="of all random choices")
    parser.add_argument("--soak-minutes", type=float, default=10.0, help="how long the soak takes")
    parser.add_argument("--mutations", type=int, default=5000, help="of descriptions, URDF and YAML together")
    parser.add_argument("--out", type=Path, default=OUT, help="folder of logs and of the inputs of findings")
    return parser.parse_args(words)


def main() -> int:
    """Run all tests; 0 where nothing was wrong and nothing died."""
    options = read_command_line()
    # a shell's background job ignores SIGINT, and passes that on to the nodes
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the nodes are ended on the way out
    reserve_ros_domain()
    folders = [str(ROOT / "test"), str(ROOT), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, folders))
    os.environ |= {"PYTHONFAULTHANDLER": "1"}
    from robustness.harness.target import ros  # reads the domain

    console, tallies = Console(), list[Tally]()
    try:
        with ros():
            for name in (name for name in TESTS if name in options.only):
                tallies.append(Tally(name, options.out, options.seed))
                with console.status(name):
                    began = time.monotonic()
                    _run(tallies[-1], options)
                took, last = time.monotonic() - began, tallies[-1]
                console.print(f"{name}: {took:.0f} s, {last.wrong} wrong, {last.died} died", highlight=False)
    finally:  # also what was found before an interrupt
        print_table(tallies, console)
    return int(any(tally.failed for tally in tallies))


def _run(tally: Tally, options: argparse.Namespace) -> None:
    mutations, minutes = (100, 0.1) if options.short else (options.mutations, options.soak_minutes)
    effort = Effort(options.seed, options.short, mutations, minutes, options.out)
    module, _, function = TESTS[tally.test].rpartition(".")
    run: Callable[[Effort, Tally], None] = getattr(import_module(f"robustness.{module}"), function)
    run(effort, tally)


if __name__ == "__main__":
    sys.exit(main())
