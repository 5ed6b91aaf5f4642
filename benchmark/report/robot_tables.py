"""Tables of the comparisons: ratios, the share of the machine's peak, targets."""

from rich.console import Console

from benchmark.measurements.comparisons import Comparison, RobotFigures
from benchmark.measurements.machine import Limits, rnea_operations
from benchmark.report.tables import new_table, verdict

BUSY = 0.85  # below this part of the peak of as many free cores, other processes were running
LIMITS_NOTE = """\
  a flop is an addition, subtraction, multiplication or division; the peak counts two for each fused
  multiply-add. loops: counted in the kernel's source; code: its instructions"""


def print_robot(console: Console, figures: RobotFigures) -> None:
    """Comparisons of one robot, and how closely the libraries agree."""
    table = new_table(
        console,
        f"{figures.robot}, {figures.nv} joints: microseconds for one state",
        *("", "ours ", "us", "fastest peer ", "us", "times (quartiles)", "target"),
        gap=0,  # 100 columns are few for the longest names
    )
    before: tuple[str, str] | None = None
    for one in figures.comparisons:
        again = before == (one.what, one.peer)
        before = one.what, one.peer
        shown = ("", "", "") if again else (one.what, one.peer, f"{one.peer_us:.3f}")
        target = "" if one.target is None else verdict(f"{one.target:g}x", bool(one.reached))
        table.add_row(shown[0], one.variant, f"{one.ours_us:.3f}", *shown[1:], str(one.times), target)
    console.print(table)
    console.print("  largest differences from Pinocchio, relative to the largest entry:")
    for quantity, differences in figures.agreement.items():
        if differences:
            console.print(f"    {quantity}: {_largest(differences)}", highlight=False)
    source = "from the disk" if figures.compiled["cached"] else "generated and compiled"
    console.print(f"  graph.compile() took {figures.compiled['seconds']:.2f} s, {source}", highlight=False)
    for note in figures.notes:
        console.print(f"  {note}", highlight=False)
    console.print()


def _largest(differences: dict[str, float]) -> str:
    """The largest difference of each library; single precision apart."""
    groups: dict[str, float] = {}
    for name, value in differences.items():
        ours = name.startswith(("loops", "code"))
        group = ("float32" if "float32" in name else "ours") if ours else name
        groups[group] = max(value, groups.get(group, 0.0))
    return ", ".join(f"{value:.0e} ({group})" for group, value in groups.items())


def print_limits(console: Console, limits: Limits, robots: list[RobotFigures], threads: int) -> None:
    """The machine's peak, and how much of it batches of inverse dynamics reach."""
    table = new_table(
        console,
        "batches of inverse dynamics against the machine's peak of fused multiply-adds",
        *("", "ours ", "flops", "us at the peak", "us", "of the peak"),
    )
    for robot in robots:
        counts = {"loops": rnea_operations(robot.nv), "code": robot.operations.get("inverse_dynamics", 0)}
        for kind in ("float64", "float32"):
            for n in sorted({1, threads}):
                peak = limits.gflops[f"{kind} {n}"]
                what = f"{robot.robot}, {kind}, {n} thread{'s' if n > 1 else ''}"
                for variant, count in counts.items():
                    time = robot.medians_us[f"{variant} inverse_dynamics_batch {kind} {n}"]
                    if count:  # none where the robot is too large for generated code
                        best = 1e-3 * count / peak
                        table.add_row(
                            what, variant, str(count), f"{best:.3f}", f"{time:.3f}", f"{best / time:.0%}"
                        )
                        what = ""
    if robots:
        console.print(table)
    for key, value in limits.gflops.items():
        kind, n = key.split()
        usual = f"best of the rounds, median {limits.median_gflops[key]:.1f}"
        console.print(f"  peak, {kind}, threads: {n}: {value:.1f} GFLOP/s ({usual}), {limits.bits[key]} bit")
    alone, together = (limits.median_gflops[f"float64 {n}"] for n in (1, threads))
    if together < BUSY * threads * alone:
        console.print(f"  [bold]Other processes were running: figures of {threads} threads are too slow.[/]")
    console.print(LIMITS_NOTE)
    console.print(
        f"  call of an empty Numba function with 4 arrays from Python: {limits.empty_call_us:.3f} us"
    )
    console.print(f"  call of an empty C function by ctypes, no arguments: {limits.empty_c_call_us:.3f} us\n")


def print_summary(console: Console, robots: list[RobotFigures]) -> None:
    """How many targets are reached by the faster of loops and code, and which are not."""
    for robot in robots:
        best: dict[tuple[str, str], Comparison] = {}
        for one in robot.comparisons:
            key = one.what, one.peer
            if one.target is not None and (key not in best or one.times.median > best[key].times.median):
                best[key] = one
        lost = [
            f"{one.what}, against {one.peer}: {one.times} of {one.target:g}x"
            for one in best.values()
            if not one.reached
        ]
        reached = f"{len(best) - len(lost)} of {len(best)} targets reached"
        console.print(f"{robot.robot}: {reached}", highlight=False)
        for line in lost:
            console.print(f"  not reached: {line}", highlight=False)
