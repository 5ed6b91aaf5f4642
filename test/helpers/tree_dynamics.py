"""What tests of robots without loops share: states, comparisons, Pinocchio's accelerations."""

import numpy as np

import modular_dynamics as md

ROBOT_NAMES = ["charmie", "branched_38dof", "four_link", "vendor_arm"]
#: Of vendor_arm: the gripper is a black box.
BOXED_TOOL = {
    "version": 1,
    "subsystems": [{"name": "tool", "root_link": "tv7_gripper_base", "black_box": True}],
}
#: The functions of a state, without links, that graph.export_c and graph.to_casadi make.
EXPORTED = (
    "inverse_dynamics",
    "nonlinear_effects",
    "gravity_torque",
    "mass_matrix",
    "forward_dynamics",
    "inverse_dynamics_derivatives",
)


def random_state(graph, seed=0):
    """q, v and a third vector as long as v; quaternions not of unit length."""
    return tuple(rows[0] for rows in random_states(graph, 1, seed))


def random_states(graph, count, seed=0):
    """The same of many states, a row each."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, graph.nq)), *rng.normal(size=(2, count, graph.nv))


def assert_close(ours, theirs, tolerance=1e-10, least=1e-9):
    """Relative to the largest of theirs, or to ``least`` where all are smaller."""
    scale = max(np.abs(theirs).max(initial=0.0), least)
    assert np.abs(ours - theirs).max(initial=0.0) <= tolerance * scale


def differences(function, x, step=1e-6):
    """d function / d x (m, n) by central differences."""
    columns = [(function(x + d) - function(x - d)) / (2 * step) for d in step * np.eye(len(x))]
    return np.array(columns).T


def _first(name, count):
    """A function that takes only the first ``count`` of q, v and a third vector."""
    return lambda graph, *state, **options: getattr(md, name)(graph, *state[:count], **options)


def _at_last_link(*more):
    return lambda graph, q, _v, _a, **options: md.jacobian(graph, q, graph.links[-1], *more, **options)


#: The public functions of a state (q, v, a or tau), or of many states: results are arrays.
FUNCTIONS = {
    "inverse_dynamics": md.inverse_dynamics,
    "forward_dynamics": md.forward_dynamics,
    "nonlinear_effects": _first("nonlinear_effects", 2),
    "gravity_torque": _first("gravity_torque", 1),
    "mass_matrix": _first("mass_matrix", 1),
    "frame_poses": _first("frame_poses", 1),
    "jacobian": _at_last_link(),
    "jacobian in the link": _at_last_link("link"),
    "regressor": md.regressor,
    "momentum matrix": _first("centroidal_momentum_matrix", 1),
    "derivatives": lambda *state, **options: np.stack(
        md.inverse_dynamics_derivatives(*state, **options), axis=-3
    ),
}
