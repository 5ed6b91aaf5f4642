"""Every public quantity of a robot as a function of (graph, state), under fixed names.

After a change of the API only this file is rewritten, and recorded numbers can still be compared by name.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import modular_dynamics as md
from modular_dynamics import loops
from modular_dynamics.modular import equations

Array = NDArray[np.float64]
Computed = Callable[[Any, "State"], Any]
MOST_IDENTIFIED = 8  # most joints of robots whose base parameters are computed
URDF = Path(__file__).resolve().parents[1] / "urdf"


@dataclass(frozen=True)
class State:
    """Numbers of one state, or of many in rows; those that end in 1 are of the independent joints.

    wrench (2, 6): on two links, or of black boxes; the same in all states of a robot. Empty: none.
    """

    q: Array
    v: Array
    a: Array
    tau: Array
    q1: Array
    v1: Array
    a1: Array
    tau1: Array
    wrench: Array

    @property
    def all(self) -> tuple[Array, Array, Array]:
        """Return q, v, a of all joints."""
        return self.q, self.v, self.a

    @property
    def own(self) -> tuple[Array, Array, Array]:
        """Return q, v, a of the independent joints."""
        return self.q1, self.v1, self.a1


class LeftOutError(Exception):
    """The quantity would take too long for this robot."""


def load(
    urdf: str, partition: Mapping[str, Any] | None, floating: bool, independent: tuple[str, ...]
) -> tuple[Any, Any]:
    """Return the graph of a URDF text, and its spanning tree; no independent joints: those of the text."""
    graph: Any = md.load_urdf(urdf, partition, floating_base=floating or None)
    graph = graph.with_independent_joints(*independent) if independent else graph
    return graph, graph.tree


def _wrenches(graph: Any, s: State) -> dict[str, dict[str, Array]]:
    on_links = {graph.links[len(graph.links) // 2]: s.wrench[1], graph.links[-1]: s.wrench[0]}
    return {"external_wrenches": on_links}


def _boxes(graph: Any, s: State) -> dict[str, Array]:
    return {one.name: s.wrench[0] for one in graph.subsystems if one.black_box and len(s.wrench)}


def _torques(graph: Any, s: State, **options: Any) -> Array:
    return md.inverse_dynamics(graph, *s.all, black_box_wrenches=_boxes(graph, s) or None, **options)


def _subsystem_wrench(graph: Any, s: State) -> Array:
    given = {**_boxes(graph, s), graph.subsystems[-1].name: s.wrench[1]}
    return md.inverse_dynamics(graph, *s.all, black_box_wrenches=given)


def _solved(graph: Any, s: State) -> Any:
    return md.InverseDynamics(graph).solve(*s.all, black_box_wrenches=_boxes(graph, s) or None)


def _composed(graph: Any, s: State, boxes: bool = False, algebra: Any = None) -> Any:
    return md.compose(graph, *s.all, None, _boxes(graph, s) or None if boxes else None, algebra)


def _vectors(elements: Any) -> Array:
    return np.array([one.vec6() for one in elements]).reshape(-1, 6)


def _accelerations(graph: Any, s: State, **options: Any) -> Array:
    return md.forward_dynamics(graph, s.q, s.v, s.tau, **options)


def _hybrid(graph: Any, s: State) -> Any:
    return md.hybrid_dynamics(graph, *s.all, s.tau, graph.joint_names[::2], **_wrenches(graph, s))


def _torque_derivatives(graph: Any, s: State) -> Any:
    return md.inverse_dynamics_derivatives(graph, *s.all, **_wrenches(graph, s), friction="urdf")


def _acceleration_derivatives(graph: Any, s: State) -> Any:
    return md.forward_dynamics_derivatives(graph, s.q, s.v, s.tau, **_wrenches(graph, s), friction="urdf")


def _regressor(graph: Any, s: State) -> Array:
    Y = md.regressor(graph, *s.all)
    return Y.reshape(*Y.shape[:-1], -1, 10)


def _joint_regressor(graph: Any, s: State) -> Array:
    Y = md.regressor(graph, *s.all, joint_terms=True)
    return Y[:, Y.shape[1] * 10 // 15 :].reshape(graph.nv, -1, 5)


@lru_cache(8)
def _base_parameters(graph: Any, joint_terms: bool = False) -> Any:
    if graph.nv > MOST_IDENTIFIED:
        raise LeftOutError
    return md.base_parameters(graph, joint_terms=joint_terms)


def _by_base_parameters(graph: Any, s: State) -> Array:
    found = _base_parameters(graph)
    return np.asarray(md.regressor(graph, *s.all)[:, found.independent] @ found.values)


@lru_cache(8)
def _changed(graph: Any, change: str) -> Any:
    if change == "payload":
        inertia = 0.01 * np.eye(3)
        return graph.with_payload(graph.links[-1], mass=1.5, com=[0.1, 0.02, -0.05], inertia=inertia)
    if change == "other numbers":
        return graph.with_parameters({name: x[1] for name, x in _columns(graph).items()})
    return md.load_urdf(graph.to_urdf())


def _changed_torques(change: str) -> Computed:
    return lambda graph, s: md.inverse_dynamics(_changed(graph, change), *s.all)


@lru_cache(8)
def _closed_form(graph: Any) -> Any:
    return equations.closed_form(graph)


def _locked(graph: Any, s: State) -> Array:
    locked = graph.lock({graph.joint_names[-1]: 0.3})
    return md.inverse_dynamics(locked, s.q[: locked.nq], s.v[: locked.nv], s.a[: locked.nv])


def _columns(graph: Any) -> dict[str, Array]:
    """Return three designs: one mass, one angle and one length are changed."""
    kinds = (" mass", " origin roll", " origin z")
    names = [[name for name in graph.parameters if name.endswith(kind)][-1] for kind in kinds]
    return {name: graph.parameters[name].value + np.array([0.0, 0.01, 0.03]) for name in names}


def _designs(graph: Any, s: State) -> Array:
    states = (np.tile(x, (3, 1)) for x in s.all)
    return md.inverse_dynamics(graph, *states, parameters=_columns(graph)).T


def _single(compute: Computed) -> Computed:
    return lambda graph, s: compute(graph, State(*(x.astype(np.float32) for x in vars(s).values())))


def _transposed(x: Array) -> Array:
    return np.swapaxes(x, -1, -2)


#: Quantities of a robot without loops, or of the spanning tree, for one state or many in rows: kind (see
#: `Sizes`), and function.
BATCHED: dict[str, tuple[str, Computed]] = {
    "mass matrix": ("mass", lambda g, s: md.mass_matrix(g, s.q)),
    "torques": ("torque", _torques),
    "torques, friction": ("torque", lambda g, s: _torques(g, s, friction="urdf")),
    "torques, wrenches": ("torque", lambda g, s: _torques(g, s, **_wrenches(g, s))),
    "torques, wrench of a subsystem": ("torque", _subsystem_wrench),
    "accelerations": ("acceleration", _accelerations),
    "accelerations, friction": ("acceleration", lambda g, s: _accelerations(g, s, friction="urdf")),
    "accelerations, wrenches": ("acceleration", lambda g, s: _accelerations(g, s, **_wrenches(g, s))),
    "hybrid accelerations": ("acceleration", lambda g, s: _hybrid(g, s).a),
    "hybrid torques": ("hybrid torque", lambda g, s: _hybrid(g, s).tau),
    "bias": ("torque", lambda g, s: md.nonlinear_effects(g, s.q, s.v)),
    "bias, friction": ("torque", lambda g, s: md.nonlinear_effects(g, s.q, s.v, friction="urdf")),
    "gravity": ("torque", lambda g, s: md.gravity_torque(g, s.q)),
    "Coriolis matrix": ("torque", lambda g, s: md.coriolis_matrix(g, s.q, s.v)),
    "d torque/d q": ("torque", lambda g, s: _torque_derivatives(g, s).dq),
    "d torque/d v": ("torque", lambda g, s: _torque_derivatives(g, s).dv),
    "d torque/d a": ("torque", lambda g, s: _torque_derivatives(g, s).da),
    "d acceleration/d q": ("acceleration slope", lambda g, s: _acceleration_derivatives(g, s).dq),
    "d acceleration/d v": ("acceleration slope", lambda g, s: _acceleration_derivatives(g, s).dv),
    "d acceleration/d torque": ("acceleration slope", lambda g, s: _acceleration_derivatives(g, s).dtau),
    "regressor": ("regressor", _regressor),
    "poses": ("pose", lambda g, s: md.frame_poses(g, s.q)),
    "velocities": ("twist", lambda g, s: md.frame_velocities(g, s.q, s.v)),
    "velocities, link axes": ("twist", lambda g, s: md.frame_velocities(g, s.q, s.v, axes="link")),
    "velocities at the root": ("twist", lambda g, s: md.frame_velocities(g, s.q, s.v, point="root")),
    "accelerations of links": ("twist", lambda g, s: md.frame_accelerations(g, *s.all)),
    "accelerations, link axes": ("twist", lambda g, s: md.frame_accelerations(g, *s.all, axes="link")),
    "accelerations, spatial": (
        "twist",
        lambda g, s: md.frame_accelerations(g, *s.all, point="root", kind="spatial"),
    ),
    "jacobian": ("twist", lambda g, s: _transposed(md.jacobian(g, s.q, g.links[-1]))),
    "jacobian, link axes": ("twist", lambda g, s: _transposed(md.jacobian(g, s.q, g.links[-1], "link"))),
    "jacobian drift": ("drift", lambda g, s: md.jacobian_drift(g, s.q, s.v, g.links[-1])),
    "centre of mass": ("value", lambda g, s: md.centre_of_mass(g, *s.all).position),
    "velocity of it": ("value", lambda g, s: md.centre_of_mass(g, *s.all).velocity),
    "acceleration of it": ("value", lambda g, s: md.centre_of_mass(g, *s.all).acceleration),
    "jacobian of it": ("reach", lambda g, s: md.centre_of_mass_jacobian(g, s.q)),
    "momentum": ("momentum", lambda g, s: md.centroidal_momentum(g, s.q, s.v)),
    "momentum matrix": ("momentum", lambda g, s: _transposed(md.centroidal_momentum_matrix(g, s.q))),
    "rate of momentum": ("momentum", lambda g, s: md.centroidal_momentum_rate(g, *s.all)),
    "kinetic energy": ("value", lambda g, s: md.kinetic_energy(g, s.q, s.v)),
    "potential energy": ("energy", lambda g, s: md.potential_energy(g, s.q)),
}

#: These, and quantities that take one state.
TREE: dict[str, tuple[str, Computed]] = BATCHED | {
    "torques, composition": ("torque", lambda g, s: _composed(g, s, boxes=True).tau),
    "torques, 6-vectors": ("torque", lambda g, s: _composed(g, s, algebra=md.SpatialVectorAlgebra()).tau),
    "torques, matrices of se(3)": (
        "torque",
        lambda g, s: _composed(g, s, algebra=md.SpecialEuclideanAlgebra()).tau,
    ),
    "torques, closed form": ("torque", lambda g, s: _closed_form(g).tau(*s.all)),
    "torques, payload": ("torque", _changed_torques("payload")),
    "torques, other numbers": ("torque", _changed_torques("other numbers")),
    "torques, written and read": ("torque", _changed_torques("written and read")),
    "torques, locked joint": ("any torque", _locked),
    "torques, designs": ("torque", _designs),
    "torques, base parameters": ("torque", _by_base_parameters),
    "count of base parameters": ("value", lambda g, s: len(_base_parameters(g).values)),
    "count with joint terms": ("value", lambda g, s: len(_base_parameters(g, True).values)),
    "wrenches at connections": ("wrench", lambda g, s: _solved(g, s).connection_wrenches),
    "wrenches at joints": ("wrench", lambda g, s: _solved(g, s).joint_wrenches),
    "wrenches of the composition": ("wrench", lambda g, s: _vectors(_composed(g, s).wrenches)),
    "twists of the composition": ("twist", lambda g, s: _vectors(_composed(g, s).twists)),
    "regressor of joints": ("regressor", _joint_regressor),
    "parameters": ("value", lambda g, s: md.inertial_parameters(g, joint_terms=True)),
    "friction coefficients": ("value", lambda g, s: md.friction_coefficients(g.joints, g.joint_names)),
    "limits": (
        "value",
        lambda g, s: np.concatenate([*g.position_limits, g.velocity_limits, g.effort_limits]),
    ),
    "integrated": ("coordinates", lambda g, s: g.integrate(s.q, s.v, 0.1)),
    "difference": ("coordinates", lambda g, s: g.difference(g.neutral(), s.q)),
    "mass": ("value", lambda g, s: md.centre_of_mass(g, s.q).mass),
}

#: Quantities of many states in one call: each row must equal the value of its single state.
TREE_ROWS: dict[str, Computed] = {
    **{name: compute for name, (_, compute) in BATCHED.items()},
    **{f"{name}, float32": _single(TREE[name][1]) for name in ("torques", "bias", "gravity")},
}


def has_loops(graph: Any) -> bool:
    """Return whether the functions of LOOP apply to this graph."""
    return bool(graph.loop_joints or graph.passive_joints or graph.gears or graph.springs)


def assembled(graph: Any) -> Array:
    """Return coordinates of all joints with which the loops are closed."""
    return np.asarray(md.assemble(graph).coordinates)


def closed_motion(graph: Any, q1: Array, v1: Array, a1: Array, guess: Array) -> tuple[Array, Array, Array]:
    """Return q, v and a of all joints at those of the independent ones."""
    solution = md.InverseDynamics(graph).solve(q1, v1, a1, guess=guess)
    return solution.coordinates, solution.velocities, solution.accelerations


def _closed_torques(graph: Any, s: State, friction: str = "none", **wrenches: Any) -> Any:
    return md.InverseDynamics(graph, friction=friction).solve(*s.own, guess=s.q, **wrenches)


def _closed_accelerations(graph: Any, s: State, **options: Any) -> Any:
    return md.constrained_dynamics(graph, s.q, s.v, s.tau1, **options).a


def _closed_hybrid(graph: Any, s: State) -> Any:
    known = {"prescribed": graph.independent_joint_names[::2], "a": s.a1}
    return md.constrained_dynamics(graph, s.q, s.v, s.tau1, **known, **_wrenches(graph, s), friction="urdf")


def _closed_derivatives(graph: Any, s: State) -> Any:
    options = {"guess": s.q, "friction": "urdf", **_wrenches(graph, s)}
    return md.inverse_dynamics_derivatives(graph, *s.own, **options)


def _closed_regressor(graph: Any, s: State) -> Any:
    return md.regressor(graph, *s.own, guess=s.q)


def _springs(graph: Any, s: State) -> Any:
    at_rest = md.nonlinear_effects(graph, s.q1, 0.0 * s.v1, guess=s.q)
    return at_rest - md.gravity_torque(graph, s.q1, guess=s.q)


def _offset_of_regressor(graph: Any, s: State) -> Any:
    tau = md.inverse_dynamics(graph, *s.own, guess=s.q)
    return tau - _closed_regressor(graph, s) @ md.inertial_parameters(graph)


@lru_cache(8)
def _closed_base_parameters(graph: Any) -> Any:
    if graph.nv > MOST_IDENTIFIED:
        raise LeftOutError
    return md.base_parameters(graph, guess=assembled(graph))


def _by_closed_base_parameters(graph: Any, s: State) -> Any:
    found, regressor = _closed_base_parameters(graph), _closed_regressor(graph, s)
    return regressor[:, found.independent] @ found.values + _offset_of_regressor(graph, s)


def _closed_designs(graph: Any, s: State) -> Array:
    spring = [name for name in graph.parameters if name.startswith("spring") and name.endswith("stiffness")]
    name = (spring or [name for name in graph.parameters if name.endswith(" mass")])[-1]
    columns = {name: graph.parameters[name].value * np.array([1.0, 1.1, 1.3])}
    states = (np.tile(x, (3, 1)) for x in s.own)
    return md.inverse_dynamics(graph, *states, guess=s.q, parameters=columns).T


def _reactions(graph: Any, s: State) -> Array:
    found = loops.joint_reactions(graph, _closed_torques(graph, s))
    return np.array([[*found[name].force, *found[name].moment] for name in sorted(found)])


def _shared_reactions(graph: Any, s: State) -> Array:
    rules = loops.read_rules(URDF / f"{graph.name}_rules.yaml")
    shared = loops.RobotReactions(graph, rules)(_closed_torques(graph, s)).by_name(rules)
    return np.array([shared.wrenches[name] for name in sorted(shared.wrenches)])


def _simulated(graph: Any, s: State) -> Array:
    fastest = float(np.abs(_closed_accelerations(graph, s)).max())
    end = 0.1 / (10.0 + fastest**0.5)  # [s] as far as some hundredths of a radian
    motion = md.simulate(graph, s.q1, s.v1, s.tau1, end, times=[0.0, end], guess=s.q)
    return np.asarray(motion.coordinates[-1])


def _sorted(values: Mapping[str, Any]) -> list[Any]:
    return [values[name] for name in sorted(values)]


#: Quantities of a robot with loops: kind, and function; the guess is the closed configuration.
LOOP: dict[str, tuple[str, Computed]] = {
    "loops: projection": ("value", lambda g, s: md.explicit_constraint_jacobian(g, s.q1, s.q)),
    "loops: mass matrix": ("mass1", lambda g, s: md.mass_matrix(g, s.q1, guess=s.q)),
    "loops: coordinates": ("coordinates", lambda g, s: md.close_loops(g, s.q1, s.q)),
    "loops: assembled": ("coordinates", lambda g, s: md.assemble(g, s.q).coordinates),
    "loops: velocities": ("value", lambda g, s: _closed_torques(g, s).velocities),
    "loops: accelerations of all": ("value", lambda g, s: _closed_torques(g, s).accelerations),
    "loops: torques": ("torque1", lambda g, s: _closed_torques(g, s).tau),
    "loops: torques, friction": ("torque1", lambda g, s: _closed_torques(g, s, friction="urdf").tau),
    "loops: torques, wrenches": ("torque1", lambda g, s: _closed_torques(g, s, **_wrenches(g, s)).tau),
    "loops: torques alone": ("torque1", lambda g, s: md.InverseDynamics(g)(*s.own, guess=s.q)),
    "loops: torques, designs": ("torque1", _closed_designs),
    "loops: torques, base parameters": ("torque1", _by_closed_base_parameters),
    "loops: count of base parameters": ("value", lambda g, s: len(_closed_base_parameters(g).values)),
    "loops: multipliers": ("value", lambda g, s: _closed_torques(g, s).multipliers),
    "loops: wrenches at cuts": ("wrench", lambda g, s: _sorted(_closed_torques(g, s).wrenches)),
    "loops: tensions": ("value", lambda g, s: _sorted(_closed_torques(g, s).tensions)),
    "loops: rank": ("value", lambda g, s: _closed_torques(g, s).rank),
    "loops: wrenches at joints": ("wrench", lambda g, s: _closed_torques(g, s).tree.joint_wrenches),
    "loops: reactions": ("wrench", _reactions),
    "loops: reactions by rules": ("wrench", _shared_reactions),
    "loops: bias": ("torque1", lambda g, s: md.nonlinear_effects(g, s.q1, s.v1, guess=s.q)),
    "loops: bias, friction": (
        "torque1",
        lambda g, s: md.nonlinear_effects(g, s.q1, s.v1, guess=s.q, friction="urdf"),
    ),
    "loops: gravity": ("torque1", lambda g, s: md.gravity_torque(g, s.q1, guess=s.q)),
    "loops: springs": ("torque1", _springs),
    "loops: accelerations": ("acceleration", _closed_accelerations),
    "loops: accelerations, friction": (
        "acceleration",
        lambda g, s: _closed_accelerations(g, s, friction="urdf"),
    ),
    "loops: own accelerations": (
        "acceleration1",
        lambda g, s: md.forward_dynamics(g, s.q1, s.v1, s.tau1, guess=s.q),
    ),
    "loops: hybrid accelerations": ("acceleration", lambda g, s: _closed_hybrid(g, s).a),
    "loops: hybrid torques": ("hybrid torque1", lambda g, s: _closed_hybrid(g, s).tau),
    "loops: d torque/d q": ("torque1", lambda g, s: _closed_derivatives(g, s).dq),
    "loops: d torque/d v": ("torque1", lambda g, s: _closed_derivatives(g, s).dv),
    "loops: d torque/d a": ("torque1", lambda g, s: _closed_derivatives(g, s).da),
    "loops: regressor": ("regressor1", lambda g, s: _closed_regressor(g, s).reshape(len(s.v1), -1, 10)),
    "loops: offset of the regressor": ("torque1", _offset_of_regressor),
    "loops: energy": ("energy", lambda g, s: md.energy(g, s.q, s.v)),
    "loops: simulated": ("coordinates", _simulated),
}


def _of_rows(name: str, *arguments: str) -> Computed:
    """Return a function of closed loops with the guess of each row."""

    def rows(graph: Any, s: State) -> Any:
        return getattr(md, name)(graph, *(getattr(s, part) for part in arguments), guess=s.q)

    return rows


LOOP_ROWS: dict[str, Computed] = {
    "loops: torques": _of_rows("inverse_dynamics", "q1", "v1", "a1"),
    "loops: mass matrix": _of_rows("mass_matrix", "q1"),
    "loops: bias": _of_rows("nonlinear_effects", "q1", "v1"),
    "loops: gravity": _of_rows("gravity_torque", "q1"),
    "loops: own accelerations": _of_rows("forward_dynamics", "q1", "v1", "tau1"),
    "loops: d torque/d q": lambda g, s: _closed_derivatives(g, s).dq,
    "loops: regressor": lambda g, s: _closed_regressor(g, s).reshape(*s.v1.shape, -1, 10),
}
