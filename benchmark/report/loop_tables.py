"""Tables of closed loops."""

from rich.console import Console

from benchmark.measurements.growth import LoopFigures
from benchmark.measurements.loop_robots import LoopRobotFigures
from benchmark.report.tables import print_table, verdict

__all__ = ["print_loop_robots", "print_loops"]

MOST_TREES = 5.0  # times the spanning tree that the torques of a closed loop may take


def print_loops(console: Console, figures: list[LoopFigures]) -> None:
    """One evaluation against the number of loops."""
    title = "closed loops: inverse dynamics of a chain of four-bars from a guess 1 mrad away, microseconds"
    columns = "loops", "joints", "rows", "median (quartiles)", "torques alone", "per loop", "open tree"
    columns += "times the tree", "C99"
    rows = [
        (
            *(str(one.loops), str(one.joints), str(one.rows), one.quartiles),
            *(f"{one.torques_us:.2f}", f"{one.torques_us / one.loops:.2f}", f"{one.tree_us:.2f}"),
            f"{one.torques_us / one.tree_us:.1f}",
            "" if one.c_us is None else f"{one.c_us:.2f}",
        )
        for one in figures
    ]
    print_table(console, title, columns, rows)
    if errors := [one.c_error for one in figures if one.c_error is not None]:
        console.print(f"C99: largest relative difference of a torque {max(errors):.0e}.\n", highlight=False)


def print_loop_robots(console: Console, figures: list[LoopRobotFigures]) -> None:
    """What closing loops costs."""
    title = "closed loops: inverse dynamics of one state from a guess 1 mrad or mm away, microseconds"
    columns = "robot", "loops", "joints", "tree", "torques", "of tree", "target", "all", "differ by"
    rows = [
        (
            *(one.robot, str(one.loops), str(one.joints), f"{one.tree_us:.2f}", f"{one.torques_us:.2f}"),
            f"{one.torques_us / one.tree_us:.1f}",
            verdict(f"<= {MOST_TREES:g}", one.torques_us <= MOST_TREES * one.tree_us),
            *(f"{one.whole_us:.1f}", f"{one.difference:.0e}"),
        )
        for one in figures
    ]
    print_table(console, title, columns, rows)
