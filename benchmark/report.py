"""Tables of all measurements, at most 110 columns wide."""

from rich.console import Console

from benchmark.measurements.changes import TARGETS, ChangeFigures
from benchmark.measurements.comparisons import RobotFigures
from benchmark.measurements.loops import TERMS, LoopComparison, LoopFigures, LoopRobotFigures
from benchmark.setting.timing import print_table, verdict

MOST_TREES, MOST_TREES_IN_BATCH = 5.0, 3.0  # times the spanning tree that torques of a closed loop may take
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
  Eigen's LU, loop over states in C++. Python: NumPy solves, all states of a batch at once.
  Batches: 1024 states. This core, C++: by the header of graph.to_cpp, loop over states in C++.
"""


def print_robot(console: Console, figures: RobotFigures) -> None:
    """Print comparisons of one robot, and how closely the libraries agree."""
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
        listed = ", ".join(f"{value:.0e} ({group})" for group, value in differences.items())
        console.print(f"    {quantity}: {listed}", highlight=False)
    for note in figures.notes:
        console.print(f"  {note}", highlight=False)
    console.print()


def _short(microseconds: float) -> str:
    return f"{microseconds:.{3 if microseconds < 9.9995 else 1}f}"


def print_summary(console: Console, robots: list[RobotFigures]) -> None:
    """Print how many targets are reached, and which are not."""
    for robot in robots:
        targets = [one for one in robot.comparisons if one.target is not None]
        reached = sum(bool(one.reached) for one in targets)
        console.print(f"{robot.robot}: {reached} of {len(targets)} targets reached", highlight=False)
        for one in targets:
            if not one.reached:
                line = f"{one.what}, against {one.peer}: {one.times} of {one.target:g}x"
                console.print(f"  not reached: {line}", highlight=False)


def print_changes(console: Console, robot: str, figures: ChangeFigures) -> None:
    """Print milliseconds of each change, and of the change with the first torques after it."""
    rows = []
    for name, time in figures.change.items():
        target, used = TARGETS.get(name), figures.first_torque[name]
        judged = used if "modules" in name else time  # with the first torques
        reached = "" if target is None else verdict(f"< {target:g} ms", judged < target)
        rows.append((name, f"{time:.3f}", f"{used:.3f}", reached))
    columns = "", "new graph", "and its first torques", "target"
    title = f"milliseconds of a change of {robot}, to which vendor_arm is attached, and of modules"
    print_table(console, title, columns, rows)


def print_loops(console: Console, figures: LoopFigures) -> None:
    """Print what closing loops costs, terms of the equation of motion, and other libraries' times."""
    _print_loop_robots(console, figures.robots)
    _print_loop_peers(console, figures.comparisons)
    for note in figures.notes:
        console.print(f"  {note}", highlight=False)


def _print_loop_robots(console: Console, figures: list[LoopRobotFigures]) -> None:
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
    title = "closed loops: terms of the equation of motion with out=, microseconds for one state"
    terms = [(one.robot, *(f"{one.terms_us[term]:.2f}" for term in TERMS)) for one in figures]
    print_table(console, title, ("robot", *TERMS), terms)


def _print_loop_peers(console: Console, figures: list[LoopComparison]) -> None:
    title = "closed loops beside other libraries: inverse dynamics, microseconds for one state"
    columns = "robot", "call ", "ours", "peer ", "us", "times (quartiles)", "target", "differ by"
    rows, before = [], None
    for one in figures:
        again = before == (one.robot, one.form)
        before = one.robot, one.form
        shown = ("", "", "") if again else (one.robot, one.form, f"{one.ours_us:.2f}")
        target = "" if one.target is None else verdict(f"{one.target:g}x", one.times.median >= one.target)
        rows.append((*shown, one.peer, f"{one.peer_us:.2f}", str(one.times), target, f"{one.difference:.0e}"))
    print_table(console, title, columns, rows)
    console.print(PEERS_NOTE, highlight=False)
