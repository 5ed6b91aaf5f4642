"""Tables of all measurements, at most 100 columns wide.

First comparisons of robots, the share of the machine's peak and targets; then the parts on one robot.
"""

from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table

from benchmark.measurements.batches import SIZES, PartitionFigures
from benchmark.measurements.changes import TARGETS, ChangeFigures
from benchmark.measurements.comparisons import Comparison, RobotFigures
from benchmark.measurements.distributed import DistributedFigures
from benchmark.measurements.docking import STAGES, DockingFigures
from benchmark.measurements.docking import TARGETS as DOCKING_TARGETS
from benchmark.measurements.first_use import FirstUses, target
from benchmark.measurements.growth import PINOCCHIO_UP_TO, SERIES, Growth, spread
from benchmark.measurements.node import NodeFigures
from benchmark.measurements.node_stages import StageFigures
from benchmark.measurements.readiness import TARGET, ReadinessFigures

GROWTH_NOTE = f"""\
  slope: (T(n) - T(10)) / (n - 10). Target: flat within 20%.
  Pinocchio's Data holds tensors of n^3 numbers: not measured above {PINOCCHIO_UP_TO} joints
"""
FLAT = 0.2  # how much the time per joint may grow from the fewest joints to the most


def print_table(
    console: Console, title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], gap: int = 1
) -> None:
    """First column and those whose name ends in a space aligned to the left, the others to the right."""
    console.print(f"[bold]{title}[/]", highlight=False)  # a table's own title is broken to its width
    table = Table(box=box.SIMPLE_HEAD, padding=(0, gap, 0, 0))
    for number, column in enumerate(columns):
        left = number == 0 or column.endswith(" ")
        table.add_column(column.strip(), justify="left" if left else "right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    console.print(table)


def verdict(target: str, reached: bool) -> str:
    """A target and whether it is reached."""
    return f"{target} [green]yes[/]" if reached else f"{target} [bold red]no[/]"


def print_robot(console: Console, figures: RobotFigures) -> None:
    """Comparisons of one robot, and how closely the libraries agree."""
    rows, before = [], None
    for one in figures.comparisons:
        again = before == (one.what, one.peer)
        before = one.what, one.peer
        shown = ("", "", "") if again else (one.what, one.peer, _short(one.peer_us))
        target = "" if one.target is None else verdict(f"{one.target:g}x", bool(one.reached))
        rows.append((shown[0], one.variant, _short(one.ours_us), *shown[1:], str(one.times), target))
    title = f"{figures.robot}, {figures.nv} joints: microseconds for one state"
    columns = "", "ours ", "us", "fastest peer ", "us", "times (quartiles)", "target"
    print_table(console, title, columns, rows, gap=0)  # 100 columns are few for the longest names
    console.print("  largest differences from Pinocchio, relative to the largest entry:")
    for quantity, differences in figures.agreement.items():
        if differences:
            console.print(f"    {quantity}: {_largest(differences)}", highlight=False)
    for note in figures.notes:
        console.print(f"  {note}", highlight=False)
    console.print()


def _short(microseconds: float) -> str:
    return f"{microseconds:.{3 if microseconds < 9.9995 else 1}f}"


def _largest(differences: dict[str, float]) -> str:
    """The largest difference of each library; single precision apart."""
    groups: dict[str, float] = {}
    for name, value in differences.items():
        ours = name.startswith(("library", "core", "C99", "CasADi"))
        group = ("float32" if "float32" in name else "ours") if ours else name
        groups[group] = max(value, groups.get(group, 0.0))
    return ", ".join(f"{value:.0e} ({group})" for group, value in groups.items())


def print_summary(console: Console, robots: list[RobotFigures]) -> None:
    """How many targets are reached by the library, and which are not."""
    for robot in robots:
        best: dict[tuple[str, str], Comparison] = {}
        for one in robot.comparisons:
            key = one.what, one.peer
            if one.target is not None and (key not in best or one.times.median > best[key].times.median):
                best[key] = one
        not_reached = [
            f"{one.what}, against {one.peer}: {one.times} of {one.target:g}x"
            for one in best.values()
            if not one.reached
        ]
        reached = f"{len(best) - len(not_reached)} of {len(best)} targets reached"
        console.print(f"{robot.robot}: {reached}", highlight=False)
        for line in not_reached:
            console.print(f"  not reached: {line}", highlight=False)


def print_sizes(console: Console, robot: str, figures: dict[str, dict[int, float]]) -> None:
    """Microseconds by states in a batch."""
    title = f"{robot}, batches of different sizes, one thread: microseconds for one state"
    rows = [
        (what, *(f"{times[count]:.3f}" if count in times else "-" for count in SIZES))
        for what, times in figures.items()
    ]
    print_table(console, title, ("states", *map(str, SIZES)), rows)


def print_growth(console: Console, growth: Growth) -> None:
    """Time per joint and slope, single and batch."""
    sizes, rows = list(growth.medians_us[SERIES[0]]), []
    for series in SERIES:
        for name, values in (("", growth.per_joint(series)), (", slope", growth.slopes(series))):
            cells = [f"{1e3 * values[n]:.1f}" if n in values else "-" for n in sizes]
            reached = verdict(f"{spread(values):.0%}", spread(values) <= FLAT)
            judged = reached if series.startswith("ours") else f"{spread(values):.0%}"
            rows.append((series + name, *cells, judged))
    title = "growth with the number of joints n: nanoseconds per joint and state, float64, one thread"
    print_table(console, title, ("", *map(str, sizes), "max/min - 1"), rows)
    console.print(GROWTH_NOTE)


def print_partitions(console: Console, robot: str, figures: list[PartitionFigures]) -> None:
    """Times and torques of each partition."""
    title = f"{robot} partitioned into subsystems: microseconds for one state"
    columns = "subsystems", "single", "time of 1", "batch", "time of 1", "torques differ by"
    rows = [
        (
            *(str(one.subsystems), f"{one.single_us:.3f}", str(one.relative_single)),
            *(f"{one.batch_us:.3f}", str(one.relative_batch), f"{one.difference:.0e}"),
        )
        for one in figures
    ]
    print_table(console, title, columns, rows)


def print_readiness(console: Console, robot: str, figures: ReadinessFigures) -> None:
    """Seconds to the first torques."""
    ready = verdict(f"< {TARGET} s", figures.ready < TARGET)
    rows = [
        ("import modular_dynamics", f"{figures.imports:.2f}", ""),
        ("load_urdf to first torques", f"{figures.ready:.3f}", ready),
    ]
    columns = "", "seconds", "target"
    print_table(console, f"{robot}: a fresh process", columns, rows)


def print_changes(console: Console, robot: str, figures: ChangeFigures) -> None:
    """Milliseconds of each change, and of the change with the first torques after it."""
    rows = []
    for name, time in figures.change.items():
        target = TARGETS.get(name)
        reached = "" if target is None else verdict(f"< {target:g} ms", time < target)
        rows.append((name, f"{time:.3f}", f"{figures.first_torque[name]:.3f}", reached))
    columns = "", "new graph", "and its first torques", "target"
    print_table(console, f"{robot}: milliseconds of a change; vendor_arm is attached", columns, rows)


def print_docking(console: Console, figures: DockingFigures) -> None:
    """Milliseconds of docking and undocking a module, by size; timor-python's beside the docking."""
    rows = []
    for change, sizes in figures.medians.items():
        each, smallest = figures.per_module(change), min(sizes)
        for modules, stages in sizes.items():
            target, time = DOCKING_TARGETS.get(modules), stages[STAGES[-1]]
            reached = "" if target is None else verdict(f"< {target:g} ms", time < target)
            linear = f"{each[modules]:.1f} us"
            if modules == max(sizes):
                linear = verdict(linear, each[modules] < (1.0 + FLAT) * each[smallest])
            theirs = figures.timor.get(modules) if change == "dock" else None
            rows.append(
                (
                    *(change, str(modules), *(f"{stages[stage]:.3f}" for stage in STAGES)),
                    *(f"{figures.least[change][modules][STAGES[-1]]:.3f}", reached),
                    linear,
                    "" if theirs is None else f"{theirs:.1f}",
                )
            )
    columns = "", "modules", "assembly", "and graph", "and torques", "least", "target"
    columns += "per module", "timor"
    print_table(console, "one module docks or undocks: milliseconds", columns, rows)
    ours, urdf = figures.joint_us["assembly"], figures.joint_us["URDF"]
    console.print(
        f"  inverse dynamics of 1000 modules: {ours:.4f} us for each joint; a URDF's: {urdf:.4f} us",
        "  per module: processor time until the first torques; linear growth: from the fewest modules to the",
        f"  most it grows by less than {FLAT:.0%}",
        f"  timor-python: {figures.timor_note or 'its robot is built anew'}\n",
        sep="\n", highlight=False, soft_wrap=True,
    )  # fmt: skip


def print_first_uses(console: Console, uses: FirstUses) -> None:
    """Seconds that each function's first use takes."""
    rows = []
    for position, (name, (wall, processor)) in enumerate(uses.items()):
        most = target(position)
        rows.append((name, f"{wall:.2f}", f"{processor:.2f}", verdict(f"< {most:g} s", wall < most)))
    columns = "", "seconds", "of processor time", "target"
    print_table(console, "first use of each function, in turn", columns, rows)


def print_stages(console: Console, figures: StageFigures) -> None:
    """Own code of the node, stage by stage."""
    title = f"own code of dynamics_node on {figures.robot}, {figures.rate:g} joint states a second"
    every = (figures.own, figures.awake, figures.warm, *figures.stages, figures.publishing, *figures.bare)
    rows = [(stage.name, f"{stage.p50:.1f}", f"{stage.p99:.1f}") for stage in every]
    print_table(console, title, ("stage", "p50 [us]", "p99 [us]"), rows)
    console.print(
        "  stages: in another run, stopwatches included; accelerations: of the filter",
        "  busy_wait: with this parameter; at once: nothing else has had the caches since the one before",
        "  a bare call: torques of the same joint states by the library alone, written and not published",
        "  the sum of one number: by NumPy; what it takes more than at once is the machine's\n",
        sep="\n", highlight=False, soft_wrap=True,
    )  # fmt: skip


def print_node(console: Console, figures: NodeFigures) -> None:
    """Counts and latencies of the node."""
    title = f"node: dynamics_node on {figures.robot}, {figures.rate:g} Hz for {figures.seconds:g} s"
    latencies = (f"{value:.2f}" for value in (figures.p50, figures.p99, figures.max))
    rows = [(str(figures.sent), str(figures.answered), *latencies)]
    print_table(console, title, ("sent", "answered", "p50 [ms]", "p99 [ms]", "max [ms]"), rows)
    console.print("  latency: from the sender's stamp to the torques' arrival, through ROS 2 twice\n")


def print_distributed(console: Console, figures: list[DistributedFigures]) -> None:
    """Latency against depth."""
    rate = figures[0].rate
    columns = ("robot", "nodes", "depth", "sent", "answered", "p50 [ms]", "p99 [ms]", "max [ms]")
    rows = []
    for one in figures:
        latencies = (f"{value:.2f}" for value in (one.p50, one.p99, one.max))
        rows.append((one.robot, *map(str, (one.nodes, one.depth, one.sent, one.answered)), *latencies))
    print_table(console, f"distributed: one subsystem_node per subsystem, {rate:g} Hz", columns, rows)
    console.print("  latency: from the sender's stamp to the arrival of the torques on the ground\n")
