"""The arrays of a mechanism whose loops are all planar, for inverse dynamics in closed form."""

import numpy as np

from ...kernels.loops.planar_inverse_dynamics import PlanarMechanism, PlanarWorkspace
from ...kernels.loops.planar_rates import StepRates
from ...kernels.loops.planar_walk import WalkWorkspace
from ...dynamics.arrays.model_arrays import work_of
from ..assembly.mechanism import Mechanism

__all__ = ["planar_mechanism", "planar_workspace"]


def planar_mechanism(mechanism: Mechanism) -> PlanarMechanism | None:
    """None where a loop is not solved in closed form."""
    system, explicit, graph = mechanism.system, mechanism.explicit, mechanism.graph
    if explicit is None:
        return None
    index_in_v = np.full(graph.nq, -1, np.int64)
    for name in graph.joint_names:
        if graph.joint(name).type.nv == 1:
            index_in_v[graph.q_slice(name).start] = graph.v_slice(name).start
    split = system.split
    return PlanarMechanism(
        tree=system.tree,
        springs=system.springs.arrays,
        steps=explicit.arrays,
        independent_q=np.array(system.independent_q, np.int64),
        independent_v=np.array(system.independent_v, np.int64),
        moving=np.setdiff1d(split.single_q, system.independent_q[system.is_free]),
        dependent=split.dependent_q,
        units=split.column_scale,
        index_in_v=index_in_v,
    )


def planar_workspace(mechanism: PlanarMechanism, graph) -> PlanarWorkspace:
    """Work arrays."""
    count, nv, nq = len(mechanism.steps.steps), graph.nv, graph.nq
    return PlanarWorkspace(
        walk=WalkWorkspace(np.zeros(count), np.zeros((3, count)), np.zeros(nq), np.zeros(nq)),
        rates=StepRates(np.zeros((len(mechanism.steps.joints), 2)), np.zeros((count, 4)), np.zeros((count, 2))),
        tensions=np.zeros(len(mechanism.springs.laws)),
        newton_euler=work_of(graph),
        full=np.zeros(nq),
        target=np.zeros(nq),
        v=np.zeros(nv),
        vdot=np.zeros(nv),
        tau=np.zeros(nv),
    )
