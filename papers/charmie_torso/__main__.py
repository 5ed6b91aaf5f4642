"""`make paper-goncalves`: CHARMIE's bodies and joints, equations 5 to 25, Figures 2 to 6, pendulum, sweep.

python -m papers.charmie_torso [--full] [--help]
"""

import argparse

import numpy as np

import modular_dynamics as md
from modular_dynamics.loops import RobotReactions, Rules, read_rules
from modular_dynamics.text.yaml_text import documents
from papers.charmie_torso import equations
from papers.charmie_torso.figure_6 import ACTUATORS, draw
from papers.charmie_torso.mujoco_loops import MujocoLoops
from papers.charmie_torso.pendulum import add_pendulum
from papers.charmie_torso.reactions import instant, motion_at, null_space, torso_parser
from papers.charmie_torso.robot_picture import Pose, draw_free_bodies, draw_poses
from papers.charmie_torso.sweep import add_sweep
from papers.charmie_torso.table_1 import add_inventory, add_motion, add_springs, add_table_1
from papers.charmie_torso.torso_mujoco import (
    COMPONENTS,
    Curves,
    curves,
    instants,
    largest_residuals,
    solve_both,
    without_inertia,
)
from papers.report import Report

TIMES = 0.0, 1.5  # [s] of Figure 2; the equations are shown at the second one
INSTANTS = 126  # of each half of the motion: every 0.02 s
EXACT = 1e-9  # [N, N m] of forces of some 500 N, between codes that share nothing
BODIES = {
    "rules": "by the paper's rules",
    "all": "least norm of all reactions",
    "cut": "least norm at the cuts",
}


def main() -> int:
    """Compare, draw, print; return 1 where a number is out of its bound."""
    title = (
        "Gonçalves, Ribeiro, Ribeiro, Lopes & Flores, Dynamic modeling of a human-inspired robot based on a "
        "Newton-Euler approach"
    )
    options = argparse.ArgumentParser(add_help=False)
    options.add_argument("--full", action="store_true", help="compute all designs of the sweep, minutes")
    report = Report.from_command_line("charmie_torso", title, __doc__.splitlines()[0], options=[options])
    files = torso_parser(__doc__).parse_args([])
    graph, rules = md.load_urdf(files.urdf), read_rules(files.rules)
    motion = documents(files.motion.read_text(encoding="utf-8"), str(files.motion))[0]
    peer = MujocoLoops(graph.urdf, graph.independent_joint_names)
    add_inventory(report, graph)
    add_table_1(report, graph.urdf)
    peer(*np.zeros((3, len(graph.independent_joint_names))))
    add_springs(report, graph, peer)
    add_motion(report, motion, graph)
    sharing = RobotReactions(graph, rules)
    poses = []
    for time in TIMES:
        state = motion_at(motion, graph, time)
        poses.append(Pose(time, state[1][:3], sharing(solve_both(graph, peer, state))))
    _add_equations(report, graph.urdf, peer, poses[-1], rules)
    now = instant(sharing, motion, TIMES[-1])
    free, outside = null_space(now, sharing)
    table = f"Section 4: {6 * len(rules.bodies)} equations of equilibrium of five bodies at {TIMES[-1]:g} s"
    report.add(table, "components of reactions that they leave free, for rules to share", free)
    report.add(table, "rules less least norm of all, outside that null space [N, N m]", outside, within=EXACT)
    report.pictures += [
        draw_poses(graph, rules, poses, report.out / "figure_2.png"),
        draw_free_bodies(graph, rules, poses[-1], peer, report.out / "figures_3_4_5.png"),
    ]
    _add_figure_6(report, graph.urdf, rules, motion)
    add_pendulum(report)
    add_sweep(report, full=options.parse_known_args()[0].full)
    return report.finish()


def _add_equations(report: Report, urdf: str, peer: MujocoLoops, pose: Pose, rules: Rules) -> None:
    """Equations (5) to (25), and (1), (2) of body 3: values and residuals; values as printed."""
    others = equations.by_rules(pose.reactions.by_name(rules), peer), equations.by_mujoco(peer)
    values, printed = equations.solved(urdf, peer)
    table = f"Equations at {pose.time:g} s: value; residual to the library's rules, * also to MuJoCo's forces"
    for number, (gives, unit) in equations.GIVES.items():
        known = [other[number] for other in others if number in other]
        residual = max(np.abs(values[number] - other).max() for other in known)
        star = "*" if number in others[1] else ""
        what = f"({number}){star} {gives}: {_words(values[number])} {unit}"
        report.add(table, what, residual, within=EXACT)
    table = f"Misprints at {pose.time:g} s: by how much the corrected value differs"
    for number, slip in equations.SLIPS.items():
        gives, unit = equations.GIVES[number]
        what = f"{slip}; {gives} as printed: {_words(printed[number])} {unit}"
        report.add(table, what, np.abs(values[number] - printed[number]).max())


def _words(numbers: np.ndarray) -> str:
    return ", ".join(f"{x:.4f}" for x in numbers)


def _add_figure_6(report: Report, urdf: str, rules: Rules, motion: dict) -> None:
    """Six curves, their jump at half time, the variant without inertia; equilibrium of each body."""
    times = instants(motion, INSTANTS)
    robot = curves(urdf, rules, motion, times)
    variant = curves(without_inertia(urdf, rules.joints["j3"].on), rules, motion, times)
    report.pictures.append(draw(robot, variant, report.out / "figure_6.png"))
    table = f"Figure 6: body 2 on body 3 [N, N m], {len(times)} instants; the paper's curves have no numbers"
    for k, name in enumerate(COMPONENTS):
        ours = robot.wrenches[:, k]
        report.add(table, f"({'abcdef'[k]}) {name}: from, to", f"{ours.min():.4f}, {ours.max():.4f}")
        report.add(table, "    jump at 2.5 s", ours[INSTANTS] - ours[INSTANTS - 1])
        report.add(table, "    largest difference from MuJoCo's", _difference(robot, k), within=EXACT)
    for name in ACTUATORS:
        ours = robot.torques[name]
        report.add(table, f"force of {name}: from, to", f"{ours.min():.4f}, {ours.max():.4f}")
        difference = np.abs(ours - robot.their_torques[name]).max()
        report.add(table, "    largest difference from MuJoCo's", difference, within=EXACT)
    report.add(
        table, "weight of all bodies, Fz at rest: 55.6 kg times 9.81 m/s^2", robot.weight, 55.6 * 9.81, 1e-9
    )
    table = "Figure 6.f: inertia of body 3 set to 0, as in the paper, to match the commercial software"
    moments = robot.wrenches - variant.wrenches
    alone = max(_difference(variant, k) for k in range(6))
    report.add(table, "all six, largest difference from MuJoCo's", alone, within=EXACT)
    report.add(table, "(f) Mz with less that without, 0 s: Izz times -2 pi / 9 rad/s^2", moments[0, 5],
               -1.61 * 2.0 * np.pi / 9.0, EXACT)  # fmt: skip
    report.add(table, "(a) to (c), largest change of a force", np.abs(moments[:, :3]).max(), within=EXACT)
    report.add(table, "(d), (e), largest change of a moment: Ixz, Iyz", np.abs(moments[:, 3:5]).max())
    table = f"Equilibrium of each body at {len(times[::5])} instants, inertia and points by MuJoCo: residual"
    for name, (force, moment) in largest_residuals(urdf, rules, motion, times[::5]).items():
        report.add(table, f"{BODIES[name]} [N]", force, within=EXACT)
        report.add(table, f"{BODIES[name]} [N m]", moment, within=EXACT)


def _difference(one: Curves, k: int) -> float:
    return float(np.abs(one.wrenches[:, k] - one.their_wrenches[:, k]).max())


if __name__ == "__main__":
    raise SystemExit(main())
