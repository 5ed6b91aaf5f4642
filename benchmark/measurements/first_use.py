"""Times of first calls: a process makes them in turn.

`python -m benchmark.measurements.first_use START` is such a process: it prints its times as JSON.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import modular_dynamics as md
from benchmark.setting.robots import ROOT

#: Seconds on two idle cores: the first torque with its imports, each further function.
FIRST_TORQUE, FURTHER = 0.25, 0.5
TREE, LOOPS = ROOT / "urdf/four_link.urdf", ROOT / "urdf/charmie_torso.urdf"

#: By name: wall clock and processor time [s].
FirstUses = dict[str, tuple[float, float]]


def target(position: int) -> float:
    """Seconds that a line of the table may take."""
    return FIRST_TORQUE if position == 0 else FURTHER


def measure_first_uses(tick: Callable[[str], None]) -> FirstUses:
    """Times of a process that uses one function after the other."""
    tick("first uses")
    command = [sys.executable, "-m", "benchmark.measurements.first_use", str(time.perf_counter())]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return {name: (wall, processor) for name, (wall, processor) in json.loads(done).items()}


def _measure_here(start: float) -> dict[str, tuple[float, float]]:
    """Times since ``start``, when this process was started, by the clock that all processes share."""
    busy = 0.0  # with what the interpreter needs to start
    times = {}

    def use(name: str, function: Callable[..., Any], *arguments: Any, **options: Any) -> None:
        nonlocal start, busy
        function(*arguments, **options)
        times[name] = time.perf_counter() - start, time.process_time() - busy
        start, busy = time.perf_counter(), time.process_time()

    arm = md.load_urdf(TREE)
    use("tree: torques, imports included", md.inverse_dynamics, arm, *np.full((3, arm.nv), 0.1))
    torso = md.load_urdf(LOOPS)
    state = np.zeros((3, len(torso.independent_joint_names)))
    use("closing loops", md.close_loops, torso, state[0])
    use("closed loops: inverse dynamics", md.inverse_dynamics, torso, *state)
    closed, still = md.close_loops(torso, state[0]), np.zeros(torso.nv)
    use("closed loops: forward dynamics", md.constrained_dynamics, torso, closed, still, state[0])
    rows = np.zeros((3, 64, state.shape[1]))
    use("closed loops: inverse dynamics of a batch", md.inverse_dynamics, torso, *rows)
    return times


if __name__ == "__main__":
    print(json.dumps(_measure_here(float(sys.argv[1]) if len(sys.argv) > 1 else time.perf_counter())))
