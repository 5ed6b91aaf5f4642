"""`make paper-silva`: the branched robot of 38 joints; Table II and Figures 1, 3, 4 and 5.

python -m papers.modular_composition [--noise N N_M DEG/S/SQRT(HZ) UG/SQRT(HZ)] [--help]
"""

import argparse
from collections.abc import Iterable

import numpy as np
import pinocchio

import modular_dynamics as md
from modular_dynamics.algebra import to_rotation_translation
from papers.modular_composition.black_boxes import ROUNDING, STRIDE, black_boxes, box_without_joints
from papers.modular_composition.measured import (
    Array,
    accelerations,
    multiple_correlation,
    simulate,
    simulate_servos,
)
from papers.modular_composition.pictures import draw_graphs, draw_robot, draw_waveforms
from papers.modular_composition.sensors import Noise
from papers.report import ROOT, Report

URDF = ROOT / "urdf" / "branched_38dof.urdf"
#: Table II, the same in both of its rows.
PAPER = {"min": 0.9850, "max": 1.0000, "mean": 0.9968, "std": 0.0037}
#: Example 2: predecessors, and joints before the connection points, row by row of A.
PREDECESSORS = {2: 1, 3: 1, 4: 1, 5: 4, 6: 2, 7: 6, 8: 6, 9: 6}
PAPER_MIDDLE, WITHIN_MIDDLE = 0.9961, 0.005  # of joint 3 in Figure 5
#: The simulator is another one than the paper's: least coefficients differ by how its motors act.
WITHIN = {"min": 0.01, "max": 0.0005, "mean": 0.001, "std": 0.001}
TRIMMED = 1.0  # [s] left out at both ends
STATES = 20  # at which the algebras are compared


def main() -> int:
    """Compare, draw, print; return 1 where a number is out of its bound."""
    about = __doc__.splitlines()[0]
    title = "Silva & Adorno, Dynamic Modeling of Branched Robots using Modular Composition"
    options = argparse.ArgumentParser(add_help=False)
    names = "N", "N_M", "DEG/S/SQRT(HZ)", "UG/SQRT(HZ)"
    text = "of a force/torque sensor and an IMU in place of a black box; default: .1 .005 .014 175"
    options.add_argument("--noise", nargs=4, type=float, metavar=names, help=text)
    report = Report.from_command_line("modular_composition", title, about, options=[options])
    given = options.parse_known_args()[0].noise
    try:
        noise = Noise(*given) if given else Noise()
    except ValueError as error:
        raise SystemExit(f"python -m papers.modular_composition: {error}") from None
    graph = md.load_urdf(URDF)
    urdf = URDF.read_text(encoding="utf-8")
    record = simulate(urdf)
    columns = [record.names.index(name) for name in graph.joint_names]
    q, v, acted, applied = (x[:, columns] for x in (record.q, record.v, record.acted, record.applied))
    step = float(record.times[0])
    a = accelerations(v, step)
    tau = md.inverse_dynamics(graph, q, v, a)
    causal = md.inverse_dynamics(graph, q, v, accelerations(v, step, zero_phase=False))
    ends = round(TRIMMED / step)
    chosen = np.linspace(ends, len(q) - ends, STATES).astype(int) // STRIDE * STRIDE
    _topology(report, graph)
    _example_4(report, graph, q[chosen[0]])
    _algebras(report, graph, *(x[chosen] for x in (q, v, a)))
    black_boxes(report, urdf, graph, (q, v, a), chosen, noise)
    box_without_joints(report, urdf, graph, record.times, (q, v, a), chosen, noise)
    table = "Table II: coefficients of multiple correlation with the simulator's torques"
    for name, ours in _statistics(tau, acted).items():
        report.add(table, f"{name}, composition", ours, PAPER[name], WITHIN[name])
    rnea = _by_pinocchio(graph, q, v, a)
    for name, ours in _statistics(rnea, acted).items():
        report.add(table, f"{name}, Pinocchio in place of sv2NE", ours, PAPER[name], WITHIN[name])
    five = "Figure 5: joints with the least and the largest coefficient, as above, and one between them"
    middle = np.sort(multiple_correlation(tau, acted))[len(columns) // 2]
    report.add(five, "coefficient of the joint between them", middle, PAPER_MIDDLE, WITHIN_MIDDLE)
    what = "composition less Pinocchio, all instants, over the largest torque"
    report.add(five, what, _relative(tau, rnea), within=ROUNDING)
    inner, library = slice(ends, -ends), md.filtered_accelerations(record.times, v=v)
    variants = {
        "torques of the next step": (tau, applied),
        f"without {TRIMMED:g} s at both ends": (tau[inner], acted[inner]),
        "md.filtered_accelerations": (md.inverse_dynamics(graph, q, v, library), acted),
        "causal filter": (causal, acted),
        f"causal filter, without {TRIMMED:g} s at both ends": (causal[inner], acted[inner]),
    }
    variants |= _servos(graph, urdf, columns)
    for what, waves in variants.items():
        for name, ours in _statistics(*waves).items():
            report.add("Other choices: filter, ends, which torque is read", f"{name}, {what}", ours)
    report.notes.append(
        "The robot's geometry and masses are not published; urdf/README.md has the choices. The simulator\n"
        "is MuJoCo with exact velocity motors, 8 s in steps of 1 ms; accelerations by the paper's filter,\n"
        "forwards and backwards. What is left of 1 comes from the ends of the record, where that filter has\n"
        "not settled; md.filtered_accelerations continues the record there, and leaves less."
    )
    report.pictures.append(draw_robot(graph, report.out / "figure_1.png"))
    report.pictures += draw_graphs(graph, report.out / "figure_3.png", report.out / "figure_4.png")
    path = report.out / "figure_5.png"
    report.pictures.append(draw_waveforms(graph, path, record.times, tau, rnea, acted))
    return report.finish()


def _servos(graph: md.SubsystemGraph, urdf: str, columns: list[int]) -> dict[str, tuple[Array, Array]]:
    """Return torques of the composition and of MuJoCo's own velocity motors, in two readings."""
    servo = simulate_servos(urdf)
    q, v, acted, reported = (x[:, columns] for x in (servo.q, servo.v, servo.acted, servo.applied))
    tau = md.inverse_dynamics(graph, q, v, accelerations(v, float(servo.times[0])))
    return {
        "MuJoCo's velocity motors, gain 100, torque that acted": (tau, acted),
        "the same motors, torque read at the step's start": (tau, reported),
    }


def _statistics(tau: Array, measured: Array) -> dict[str, float]:
    found = multiple_correlation(tau, measured)
    return {"min": found.min(), "max": found.max(), "mean": found.mean(), "std": found.std()}


def _topology(report: Report, graph: md.SubsystemGraph) -> None:
    table = "Example 2: the graph, and the pattern of A (38 x 9)"
    subsystems = graph.subsystems
    found = {k + 1: one.predecessor + 1 for k, one in enumerate(subsystems) if one.predecessor is not None}
    report.add(table, "predecessors p_2 ... p_9", _words(found.values()), _words(PREDECESSORS.values()))
    counts = [len(one.joints) for one in subsystems]
    report.add(table, "joints n_1 ... n_9", _words(counts), "6 4 4 4 4 4 4 4 4")
    zero = np.zeros(graph.nv)
    composition = md.compose(graph, zero, zero, np.ones(graph.nv))
    blocks, joints = [], []
    for i in range(len(subsystems)):
        for j, successor in enumerate(subsystems):
            count = sum(bool(np.any(wrench.vec6())) for wrench in composition.block(i, j))
            if count:
                blocks.append(f"{i + 1}{j + 1}")
            if successor.predecessor == i:
                joints.append(count)
    expected = sorted([f"{k}{k}" for k in range(1, 10)] + [f"{i}{j}" for j, i in PREDECESSORS.items()])
    report.add(table, "blocks A_ij that are not zero", " ".join(blocks), " ".join(expected))
    report.add(table, "η of Γ_ji, row by row of A (paper: the first is 2)", _words(joints))


def _example_4(report: Report, graph: md.SubsystemGraph, q: Array) -> None:
    """X_{j,i} beside Pinocchio's placements, and the number of poses in X_{2,1}."""
    table = "Example 4: X_ji, where subsystem j is connected, seen from the joints of its predecessor i"
    composition = md.compose(graph, q, np.zeros(graph.nv), np.zeros(graph.nv))
    model = pinocchio.buildModelFromUrdf(str(URDF))
    data = model.createData()
    pinocchio.forwardKinematics(model, data, md.joint_order.from_pinocchio(graph, model).to_q(q))

    def before(joint: md.Joint) -> pinocchio.SE3:
        """Return the joint's frame in the link before it."""
        k = model.getJointId(joint.name)
        return data.oMi[model.parents[k]] * model.jointPlacements[k]

    differences = []
    for j, successor in enumerate(graph.subsystems[1:], 1):
        joints = graph.subsystems[successor.predecessor].joints
        for x, joint in zip(composition.connection_poses(j), joints, strict=True):
            if x != md.DualQuaternion.zero:
                theirs = before(joint).actInv(before(successor.joints[0]))
                R, p = to_rotation_translation(x)
                differences += [np.abs(R - theirs.rotation).max(), np.abs(p - theirs.translation).max()]
    X = composition.connection_poses(1)
    count = f"{sum(x != md.DualQuaternion.zero for x in X)} of {len(X)}"
    report.add(table, "entries of X_2,1 that are not zero", count, "2 of 6")
    report.add(table, "all X_ji, largest difference from Pinocchio", max(differences), within=ROUNDING)


def _words(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))


def _algebras(report: Report, graph: md.SubsystemGraph, q: Array, v: Array, a: Array) -> None:
    table = f"Section II: three algebras; largest difference at {STATES} states over the largest torque"
    core = md.inverse_dynamics(graph, q, v, a)
    algebras = {
        "dual quaternions": md.DualQuaternionAlgebra(),
        "spatial vectors R^6": md.SpatialVectorAlgebra(),
        "matrices se(3), se*(3)": md.SpecialEuclideanAlgebra(),
    }
    for name, algebra in algebras.items():
        rows = [md.compose(graph, *state, algebra=algebra).tau for state in zip(q, v, a, strict=True)]
        report.add(table, f"{name} against the core", _relative(np.array(rows), core), within=ROUNDING)
    report.add(
        table,
        "Pinocchio (one tree, no subsystems) against the core",
        _relative(_by_pinocchio(graph, q, v, a), core),
        within=ROUNDING,
    )


def _relative(one: Array, other: Array) -> float:
    return float(np.abs(one - other).max() / np.abs(other).max())


def _by_pinocchio(graph: md.SubsystemGraph, q: Array, v: Array, a: Array) -> Array:
    """Return Pinocchio's torques (m, n): one tree, without subsystems, as the paper's sv2NE."""
    model = pinocchio.buildModelFromUrdf(str(URDF))
    order, data = md.joint_order.from_pinocchio(graph, model), model.createData()
    states = zip(order.to_q(q), order.to_v(v), order.to_v(a), strict=True)  # no floating joint: a moves as v
    return order.from_tau(np.array([pinocchio.rnea(model, data, *state) for state in states]))


if __name__ == "__main__":
    raise SystemExit(main())
