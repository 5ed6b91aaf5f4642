"""Tables of the measurements on one robot, and the style of all tables: at most 100 columns wide."""

from rich import box
from rich.console import Console
from rich.table import Table

from benchmark.measurements.batches import SIZES, PartitionFigures
from benchmark.measurements.growth import PINOCCHIO_UP_TO, SERIES, Growth, LoopFigures, spread
from benchmark.measurements.node import NodeFigures
from benchmark.measurements.readiness import TARGET, ReadinessFigures

GROWTH_NOTE = f"""\
  slope: (T(n) - T(10)) / (n - 10). Target: flat within 20%. Ours by the loops kernel.
  Pinocchio's Data holds tensors of n^3 numbers: not measured above {PINOCCHIO_UP_TO} joints
"""
FLAT = 0.2  # how much the time per joint may grow from the fewest joints to the most


def new_table(console: Console, title: str, *columns: str, gap: int = 1) -> Table:
    """First column and those whose name ends in a space aligned to the left, the others to the right."""
    console.print(f"[bold]{title}[/]", highlight=False)  # a table's own title is broken to its width
    table = Table(box=box.SIMPLE_HEAD, padding=(0, gap, 0, 0))
    for number, column in enumerate(columns):
        left = number == 0 or column.endswith(" ")
        table.add_column(column.strip(), justify="left" if left else "right", no_wrap=True)
    return table


def verdict(target: str, reached: bool) -> str:
    """A target and whether it is reached."""
    return f"{target} [green]yes[/]" if reached else f"{target} [bold red]no[/]"


SIZES_NOTE = """\
  reordering alone: mass matrices copied from vector lanes to rows, none computed; a batch of mass matrices
  takes at least this and its arithmetic"""


def print_sizes(console: Console, robot: str, figures: dict[str, dict[int, float]]) -> None:
    """Microseconds by states in a batch."""
    title = f"{robot}, batches of different sizes, one thread, code: microseconds for one state"
    table = new_table(console, title, "states", *map(str, SIZES))
    for what, times in figures.items():
        table.add_row(what, *(f"{times[count]:.3f}" if count in times else "-" for count in SIZES))
    console.print(table)
    console.print(SIZES_NOTE)


def print_growth(console: Console, growth: Growth) -> None:
    """Time per joint and slope, single and batch."""
    sizes = list(growth.medians_us[SERIES[0]])
    table = new_table(
        console,
        "growth with the number of joints n: nanoseconds per joint and state, float64, one thread",
        *("", *map(str, sizes), "max/min - 1"),
    )
    for series in SERIES:
        for name, values in (("", growth.per_joint(series)), (", slope", growth.slopes(series))):
            cells = [f"{1e3 * values[n]:.1f}" if n in values else "-" for n in sizes]
            reached = verdict(f"{spread(values):.0%}", spread(values) <= FLAT)
            judged = reached if series.startswith("ours") else f"{spread(values):.0%}"
            table.add_row(series + name, *cells, judged)
    console.print(table)
    console.print(GROWTH_NOTE)


def print_loops(console: Console, figures: list[LoopFigures]) -> None:
    """One evaluation against the number of loops."""
    table = new_table(
        console,
        "closed loops: inverse dynamics of a chain of four-bars from a guess 1 mrad away, microseconds",
        *("loops", "joints", "rows", "median (quartiles)", "per loop", "open tree", "times the tree"),
    )
    for one in figures:
        table.add_row(
            *(str(one.loops), str(one.joints), str(one.rows), one.quartiles),
            *(f"{one.closed_us / one.loops:.1f}", f"{one.tree_us:.2f}", f"{one.closed_us / one.tree_us:.1f}"),
        )
    console.print(table)


def print_partitions(console: Console, robot: str, figures: list[PartitionFigures]) -> None:
    """Times and torques of each partition."""
    table = new_table(
        console,
        f"{robot} partitioned into subsystems: microseconds for one state",
        *("subsystems", "single", "time of 1", "batch", "time of 1", "torques differ by"),
    )
    for one in figures:
        table.add_row(
            str(one.subsystems),
            f"{one.single_us:.3f}",
            str(one.relative_single),
            f"{one.batch_us:.3f}",
            str(one.relative_batch),
            f"{one.difference:.0e}",
        )
    console.print(table)


def print_readiness(console: Console, robot: str, figures: ReadinessFigures) -> None:
    """Seconds to the first torques."""
    title = f"{robot}: seconds in a fresh process"
    table = new_table(console, title, "", "kernels on disk", "empty cache", "target")
    ready = verdict(f"< {TARGET} s", figures.ready < TARGET)
    table.add_row("import modular_dynamics", f"{figures.imports:.2f}", "", "")
    table.add_row("load_urdf to first torques", f"{figures.ready:.3f}", f"{figures.ready_cold:.1f}", ready)
    table.add_row("graph.compile()", f"{figures.compile:.3f}", f"{figures.compile_cold:.1f}", "")
    console.print(table)


def print_node(console: Console, figures: NodeFigures) -> None:
    """Counts and latencies of the node."""
    table = new_table(
        console,
        f"node: dynamics_node on {figures.robot}, {figures.rate:g} Hz for {figures.seconds:g} s",
        *("sent", "answered", "p50 [ms]", "p99 [ms]", "max [ms]"),
    )
    latencies = (f"{value:.2f}" for value in (figures.p50, figures.p99, figures.max))
    table.add_row(str(figures.sent), str(figures.answered), *latencies)
    console.print(table)
    console.print("  latency: from the sender's stamp to the torques' arrival, through ROS 2 twice\n")
