"""The arrays of a mechanism whose loops are all planar, for inverse dynamics in closed form."""

import numpy as np

from ...dynamics.arrays.model_arrays import topology_of, work_of
from ...kernels.loops.planar.inverse_dynamics import PlanarMechanism, PlanarWorkspace
from ...kernels.loops.planar.rates import StepRates
from ...kernels.loops.planar.walk import WalkWorkspace
from ...kernels.loops.structures import Tree
from ...model import SubsystemGraph
from ..assembly.mechanism import Mechanism
from ..constraints.rows import row_values

__all__ = ["planar_mechanism", "planar_workspace"]


def planar_mechanism(mechanism: Mechanism, friction: str = "none") -> PlanarMechanism | None:
    """None where not all loops are solved in closed form; no other workspace has its work arrays.

    Raises:
        StateError: another friction than `inverse_dynamics` knows.
    """
    system, explicit, graph = mechanism.system, mechanism.explicit, mechanism.graph
    topology = topology_of(graph, frozenset(), friction)
    if explicit is None:
        return None
    index_in_v = np.full(graph.nq, -1, np.int64)
    for name in graph.joint_names:
        if graph.joint(name).type.nv == 1:
            index_in_v[graph.q_slice(name).start] = graph.v_slice(name).start
    return PlanarMechanism(
        tree=Tree(topology, system.tree.constants),
        springs=system.springs.arrays._replace(values=row_values(graph, len(graph.springs))),
        steps=explicit.arrays,
        independent_q=np.array(system.independent_q, np.int64),
        independent_v=np.array(system.independent_v, np.int64),
        moving=np.setdiff1d(system.split.single_q, system.independent_q[system.is_free]),
        dependent=system.split.dependent_q,
        units=system.split.column_scale,
        index_in_v=index_in_v,
    )


def planar_workspace(graph: SubsystemGraph, mechanism: PlanarMechanism) -> PlanarWorkspace:
    """The work arrays of one thread."""
    steps, nv, nq = len(mechanism.steps.steps), graph.nv, graph.nq
    return PlanarWorkspace(
        walk=WalkWorkspace(np.zeros(steps), np.zeros((3, steps)), np.zeros(nq), np.zeros(nq)),
        rates=StepRates(
            np.zeros((len(mechanism.steps.joints), 2)), np.zeros((steps, 4)), np.zeros((steps, 2))
        ),
        tensions=np.zeros(len(mechanism.springs.laws)),
        newton_euler=work_of(graph),
        full=np.zeros(nq),
        target=np.zeros(nq),
        v=np.zeros(nv),
        vdot=np.zeros(nv),
        tau=np.zeros(nv),
    )
