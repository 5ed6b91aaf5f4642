"""The regressor form and minimal parameters, which the paper names as further steps of the symbolic form."""

import numpy as np
import pinocchio

import modular_dynamics as md
from papers.closed_loop_elimination.equality import EXACT, evaluated, relative
from papers.closed_loop_elimination.exoskeleton import STATES, Array, States, urdf
from papers.closed_loop_elimination.methods import Method
from papers.report import Report

RANK = 1e-9  # singular values relative to the largest, of columns scaled to one


def add_parameters(report: Report, graph: md.SubsystemGraph, method: Method, states: States) -> None:
    """Add the number of base parameters, by three ranks, and torques from them; ``method``: IC, symbolic."""
    table = f"Regressor Y and base (minimal) parameters, at {STATES} random states"
    base, tree = md.base_parameters(graph), md.base_parameters(graph.tree)
    Y, springs = md.regressor(graph, *states[:3]), evaluated(method, states)["spring"]
    tau = md.inverse_dynamics(graph, *states[:3])
    report.add(table, "inertial parameters of 13 moving bodies", Y.shape[2])
    report.add(table, "base parameters of the open tree", len(tree.values))
    report.add(table, "base parameters of the mechanism", len(base.values))
    ranks = {"Pinocchio's tree, projected by W^T": _by_pinocchio(graph, states)}
    ranks["d tau1 / d theta of IC's expressions"] = _by_derivatives(method, states)
    for what, regressor in ranks.items():
        rank = _rank(regressor)
        report.add(table, f"rank of the regressor by {what}, less that", rank - len(base.values), within=0.0)
    products = {
        "Y theta": Y @ md.inertial_parameters(graph),
        "Y beta, columns of base parameters only,": Y[..., base.independent] @ base.values,
    }
    for what, product in products.items():
        difference = relative(product + springs, tau)
        report.add(table, f"{what} + tau_1s, less tau1, over the largest", difference, within=EXACT)
    path = report.out / "base_parameters.txt"
    path.write_text(f"{base}\n", encoding="utf-8")
    report.notes.append(
        f"The {len(base.values)} base parameters as sums of theta: {path.name}, beside manifest.json"
    )


def _rank(Y: Array) -> int:
    rows = Y.reshape(-1, Y.shape[-1])
    norms = np.linalg.norm(rows, axis=0)
    used = norms > RANK * norms.max()
    values = np.linalg.svd(rows[:, used] / norms[used], compute_uv=False)
    return int((values > RANK * values[0]).sum())


def _by_pinocchio(graph: md.SubsystemGraph, states: States) -> Array:
    """Return W^T Y (m, 5, 130) with Y of Pinocchio's open tree at the closed motion."""
    model = pinocchio.buildModelFromXML(urdf())
    order, data, solver = (
        md.joint_order.from_pinocchio(graph, model),
        model.createData(),
        md.InverseDynamics(graph),
    )
    found = []
    for q, v, a, coordinates in zip(*states, strict=True):
        W, motion = md.explicit_constraint_jacobian(graph, q), solver.solve(q, v, a)
        rates = order.to_v(motion.velocities), order.to_v(motion.accelerations)
        Y = pinocchio.computeJointTorqueRegressor(model, data, order.to_q(coordinates), *rates)
        found.append(W.T @ order.from_tau(Y.T).T)
    return np.array(found)


def _by_derivatives(method: Method, states: States) -> Array:
    """Return the derivatives (m, 5, 130) of tau1, which is linear in the inertial symbols, by these."""
    ca, parameters = method.ca, method.constants.parameters
    lines = [key for key in parameters if key.startswith("i")]
    inertial = lines[len(method.gravity) : len(method.gravity) + 10 * len(method.model.bodies)]
    symbols = ca.vertcat(*(parameters[key][0] for key in inertial))
    Y = ca.jacobian(method.torque, symbols)
    function = ca.Function("Y", method.inputs, [Y])
    _, v, a, coordinates = states
    numbers = method.constants.numbers
    return np.array([function(*state, numbers).full() for state in zip(coordinates, v, a, strict=True)])
