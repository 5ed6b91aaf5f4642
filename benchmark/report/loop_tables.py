"""Tables of closed loops."""

from collections.abc import Sequence

from rich.console import Console

from benchmark.measurements.growth import LoopFigures, SpatialLoopFigures
from benchmark.measurements.loop_peers import LoopPeerFigures
from benchmark.measurements.loop_robots import LoopRobotFigures
from benchmark.measurements.loop_terms import LoopTermFigures
from benchmark.report.tables import print_table, verdict

__all__ = [
    "added_loop_costs",
    "print_loop_peers",
    "print_loop_robots",
    "print_loop_terms",
    "print_loops",
    "print_spatial_loops",
]

MOST_TREES, MOST_TREES_IN_BATCH = 5.0, 3.0  # times the spanning tree that torques of a closed loop may take
MOST_GROWTH = 2.0  # of the cost of one more loop, from the shortest chain to the longest
ROBOTS_NOTE = """\
  tree: inverse_dynamics of the spanning tree with out=, at the closed states. torques: of the
  closed robot, by InverseDynamics with out; loops are closed, and dependent motions solved for,
  too. all: by InverseDynamics.solve. batch: 1024 states on 1 thread. times: by
  rounds, median (quartiles).
"""
PEERS_NOTE = """\
  ours: InverseDynamics with out, and of a motion's rows on one thread. Ours closes
  the loops and solves for dependent motions, too. The peers are given positions, velocities and
  accelerations of all joints, and the springs' torques; theirs: torques of the tree, constraint
  Jacobian, linear equations. Pinocchio: rnea (batch, Python: rneaInParallel, 1 thread),
  computeJointJacobians, calc and getConstraintsJacobian; C++: -O3 and Pinocchio's libraries,
  Eigen's LU, loop over states in C++. MuJoCo: mj_kinematics, mj_comPos, mj_makeConstraint,
  mj_comVel, mj_rne. Python: NumPy solves, all states of a batch at
  once. Batches: 1024 states. This core, C++: by the header of graph.to_cpp, loop over states in C++.
"""


def print_loops(console: Console, figures: list[LoopFigures]) -> None:
    """One evaluation against the number of loops."""
    title = "closed loops: inverse dynamics of a chain of four-bars from a guess 1 mrad away, microseconds"
    columns = "loops", "joints", "rows", "all (quartiles)", "torques", "per loop", "tree", "times tree", "C99"
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
    _print_growth(console, added_loop_costs(figures))
    if errors := [one.c_error for one in figures if one.c_error is not None]:
        console.print(f"  C99: largest relative difference of a torque {max(errors):.0e}.", highlight=False)
    console.print()


def print_spatial_loops(console: Console, figures: list[SpatialLoopFigures]) -> None:
    """The same of loops that are not planar, in batches."""
    title = "closed loops: batches of chains of spatial four-bars, microseconds for one state"
    columns = "loops", "joints", "rows", "torques", "per loop", "tree"
    rows = [
        (
            *(str(one.loops), str(one.joints), str(one.rows), f"{one.torques_us:.1f}"),
            *(f"{one.torques_us / one.loops:.1f}", f"{one.tree_us:.2f}"),
        )
        for one in figures
    ]
    print_table(console, title, columns, rows)
    _print_growth(console, added_loop_costs(figures))
    console.print()


def _print_growth(console: Console, costs: dict[int, float]) -> None:
    if len(costs) > 1:
        growth = max(costs.values()) / min(costs.values())
        shown = ", ".join(f"{loops}: {cost:.2f}" for loops, cost in costs.items())
        target = verdict(f"< {MOST_GROWTH:g}", growth < MOST_GROWTH)
        console.print(f"  cost of one more loop, (T(n) - T(1)) / (n - 1), us: {shown}", highlight=False)
        console.print(f"  largest over smallest: {growth:.2f}, target {target}", highlight=False)


def added_loop_costs(figures: Sequence[LoopFigures | SpatialLoopFigures]) -> dict[int, float]:
    """By loops of a chain, what each loop beyond the shortest chain's costs [us], torques alone."""
    first, *others = figures
    return {one.loops: (one.torques_us - first.torques_us) / (one.loops - first.loops) for one in others}


def print_loop_robots(console: Console, figures: list[LoopRobotFigures]) -> None:
    """What closing loops costs."""
    title = "closed loops beside their spanning trees: inverse dynamics, microseconds for one state"
    columns = "robot", "loops", "joints", "call ", "tree", "torques", "times the tree", "target", "all"
    rows = []
    for one in figures:
        single = verdict(f"<= {MOST_TREES:g}", one.times.median <= MOST_TREES)
        batch = verdict(f"<= {MOST_TREES_IN_BATCH:g}", one.batch_times.median <= MOST_TREES_IN_BATCH)
        times = f"{one.tree_us:.3f}", f"{one.torques_us:.3f}", str(one.times), single, f"{one.whole_us:.1f}"
        rows.append((one.robot, str(one.loops), str(one.joints), "single", *times))
        times = f"{one.tree_batch_us:.3f}", f"{one.batch_us:.3f}", str(one.batch_times), batch, ""
        rows.append(("", "", "", "batch", *times))
    print_table(console, title, columns, rows)
    largest = max(figures, key=lambda one: one.difference)
    differs = f"  largest relative difference of torques {largest.difference:.0e} ({largest.robot})"
    console.print(f"{ROBOTS_NOTE}{differs}\n", highlight=False)


def print_loop_terms(console: Console, figures: list[LoopTermFigures]) -> None:
    """Terms of the equation of motion."""
    title = "closed loops: terms with out=, microseconds for one state"
    columns = "robot", "term ", "compiled", "general method", "times (quartiles)"
    rows, before = [], None
    for one in figures:
        robot, before = "" if one.robot == before else one.robot, one.robot
        rows.append((robot, one.term, f"{one.ours_us:.2f}", f"{one.general_us:.1f}", str(one.times)))
    print_table(console, title, columns, rows)


def print_loop_peers(console: Console, figures: LoopPeerFigures) -> None:
    """Closed loops beside other libraries."""
    title = "closed loops beside other libraries: inverse dynamics, microseconds for one state"
    columns = "robot", "call ", "ours", "peer ", "us", "times (quartiles)", "target", "differ by"
    rows, before = [], None
    for one in figures.comparisons:
        again = before == (one.robot, one.form)
        before = one.robot, one.form
        shown = ("", "", "") if again else (one.robot, one.form, f"{one.ours_us:.2f}")
        target = "" if one.target is None else verdict(f"{one.target:g}x", one.times.median >= one.target)
        rows.append((*shown, one.peer, f"{one.peer_us:.2f}", str(one.times), target, f"{one.difference:.0e}"))
    print_table(console, title, columns, rows)
    console.print(PEERS_NOTE, highlight=False)
    for note in figures.notes:
        console.print(f"  {note}", highlight=False)
