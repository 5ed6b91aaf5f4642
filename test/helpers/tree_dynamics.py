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


def _linked(name, *more, **axes):
    """A function of motions or of one link, the last one, that takes the first of q, v and a."""
    count = {"jacobian": 1, "jacobian_drift": 2, "frame_velocities": 2, "frame_accelerations": 3}[name]

    def function(graph, *state, **options):
        link = (graph.links[-1],) if name.startswith("jacobian") else ()
        return getattr(md, name)(graph, *state[:count], *link, *more, **axes, **options)

    return function


#: The public functions of a state (q, v, a or tau), or of many states: results are arrays.
FUNCTIONS = {
    "inverse_dynamics": md.inverse_dynamics,
    "forward_dynamics": md.forward_dynamics,
    "nonlinear_effects": _first("nonlinear_effects", 2),
    "gravity_torque": _first("gravity_torque", 1),
    "mass_matrix": _first("mass_matrix", 1),
    "coriolis_matrix": _first("coriolis_matrix", 2),
    "frame_poses": _first("frame_poses", 1),
    "frame_velocities in the links": _linked("frame_velocities", axes="link"),
    "frame_accelerations of the root": _linked("frame_accelerations", point="root", kind="spatial"),
    "jacobian": _linked("jacobian"),
    "jacobian in the link": _linked("jacobian", "link"),
    "regressor": md.regressor,
    "regressor of joints": lambda *state, **options: md.regressor(*state, joint_terms=True, **options),
    "momentum matrix": _first("centroidal_momentum_matrix", 1),
    "derivatives": lambda *state, **options: np.stack(
        md.inverse_dynamics_derivatives(*state, **options), axis=-3
    ),
}
#: Those that take no ``out``.
FUNCTIONS_OF_NEW_ARRAYS = {
    "forward_dynamics_derivatives": lambda *state, **options: np.stack(
        md.forward_dynamics_derivatives(*state, **options)[:3], axis=-3
    ),
    "jacobian_drift": _linked("jacobian_drift", "link"),
    "centre_of_mass": lambda *state, **options: np.stack(md.centre_of_mass(*state, **options)[1:], axis=-2),
    "centre_of_mass_jacobian": _first("centre_of_mass_jacobian", 1),
    "centroidal_momentum": _first("centroidal_momentum", 2),
    "centroidal_momentum_rate": _first("centroidal_momentum_rate", 3),
    "kinetic_energy": _first("kinetic_energy", 2),
    "potential_energy": _first("potential_energy", 1),
}
