"""Kill workers and whole runs of a design study at random moments; compare the results byte by byte.

Usage, in test/: python -m robustness.studies [--times 20] [--seed 1]. A row for each: what was
killed when, chunks that were finished then, and whether the finished result is that of an undisturbed run.
"""

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

STUDY = """
name: four_bar
robot: {robot}
motion: {{rate: 100, files: {{turn: turn.yaml}}}}
inputs:
  coupler: {{range: [0.095, 0.11], steps: 200, sets: loop joint J2 successor x}}
  mass: {{range: [4, 6], steps: 100, sets: link output mass}}
actuators: {{J1: 1}}
keep: {{strokes: [J4], sine: 0.1}}
"""
MOTION = """
duration: 2.0
segments: [{until: 1.0, scale: 1}, {until: 2.0, scale: -1}]
accelerations: {J1: 0.5}
start: {J1: 0.4}
"""
ROBOT = Path(__file__).resolve().parents[2] / "urdf" / "four_bar.urdf"


def started(folder: Path, out: str) -> "subprocess.Popen[bytes]":
    """A run with two workers."""
    words = ["study", "run", folder / "study.yaml", "-o", folder / out, "--workers", "2", "--quiet"]
    command = [sys.executable, "-m", "modular_dynamics", *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def finished_run(folder: Path, out: str) -> float:
    """Run to the end; the time it took [s]."""
    start = time.monotonic()
    process = started(folder, out)
    _, err = process.communicate()
    if process.returncode:
        raise SystemExit(err.decode())
    return time.monotonic() - start


def killed(folder: Path, out: str, whole: bool, after: float, dice: random.Random) -> str:
    """Start a run, kill it or a worker of it after a time [s], finish it; how many chunks there were."""
    process = started(folder, out)
    try:
        process.wait(after)
    except subprocess.TimeoutExpired:
        found = len(list((folder / out).glob("chunks/[0-9]*")))
        children = psutil.Process(process.pid).children(recursive=True)
        workers = [one for one in children if "spawn_main" in " ".join(one.cmdline())]
        if whole:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            psutil.wait_procs(workers, timeout=30)
            left = sum(one.is_running() and one.status() != psutil.STATUS_ZOMBIE for one in workers)
            finished_run(folder, out)
            return f"{found:3} chunks, {left} workers left"
        if workers:
            dice.choice(workers).kill()
        _, err = process.communicate()
        if process.returncode:
            print(err.decode(), file=sys.stderr)
        return f"{found:3} chunks, exit code {process.returncode}"
    return "it had ended"


def main() -> int:
    """Print the table. Returns the exit status: 1 if a result differs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=20, help="how many kills (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the random moments (default: %(default)s)")
    arguments = parser.parse_args()
    dice, differ = random.Random(arguments.seed), 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "study.yaml").write_text(STUDY.format(robot=ROBOT))
        (folder / "turn.yaml").write_text(MOTION)
        seconds = finished_run(folder, "undisturbed")
        expected = (folder / "undisturbed" / "designs.parquet").read_bytes()
        print(f"undisturbed: {seconds:.1f} s, {len(expected):,} bytes", flush=True)
        for number in range(1, arguments.times + 1):
            whole, after, out = bool(number % 2), dice.uniform(0.1, 1.0) * seconds, f"run_{number}"
            what = killed(folder, out, whole, after, dice)
            result = folder / out / "designs.parquet"
            same = result.exists() and result.read_bytes() == expected
            differ += not same
            target = "run   " if whole else "worker"
            print(
                f"{number:2} {target} after {after:5.2f} s: {what:28} {'same' if same else 'DIFFERS'}",
                flush=True,
            )
    return int(differ > 0)


if __name__ == "__main__":
    raise SystemExit(main())
