"""Tables of closed loops."""

from rich.console import Console

from benchmark.measurements.growth import LoopFigures
from benchmark.measurements.loop_peers import LoopPeerFigures
from benchmark.measurements.loop_robots import LoopRobotFigures
from benchmark.report.tables import print_table, verdict

__all__ = ["print_loop_peers", "print_loop_robots", "print_loops"]

MOST_TREES = 5.0  # times the spanning tree that the torques of a closed loop may take
PEERS_NOTE = """\
  ours: closed_loop_inverse_dynamics with out=, and ..._batch of a motion on one thread. Ours closes the
  loops and solves for dependent motions, too. The peers are given positions, velocities and accelerations
  of all joints, and the springs' torques; theirs: torques of the tree, constraint Jacobian, linear equations.
  Pinocchio: rnea (batch, Python: rneaInParallel, 1 thread), computeJointJacobians, calc and
  getConstraintsJacobian; C++: -O3 and Pinocchio's libraries, Eigen's LU, loop over states in C++. MuJoCo:
  mj_kinematics, mj_comPos, mj_makeConstraint, mj_comVel, mj_rne. Python: NumPy solves, all states of a batch
  at once.
"""


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


def print_loop_peers(console: Console, figures: LoopPeerFigures) -> None:
    """Closed loops beside other libraries."""
    title = "closed loops beside other libraries: inverse dynamics, microseconds for one state"
    columns = "robot", "call ", "ours", "peer ", "us", "times (quartiles)", "target", "differ by"
    rows, before = [], None
    for one in figures.comparisons:
        again = before == (one.robot, one.form)
        before = one.robot, one.form
        shown = ("", "", "") if again else (one.robot, one.form, f"{one.ours_us:.2f}")
        target = verdict(f"{one.target:g}x", one.times.median >= one.target)
        rows.append((*shown, one.peer, f"{one.peer_us:.2f}", str(one.times), target, f"{one.difference:.0e}"))
    print_table(console, title, columns, rows)
    console.print(PEERS_NOTE, highlight=False)
    for note in figures.notes:
        console.print(f"  {note}", highlight=False)
