"""The arrays of a mechanism whose loops are all planar, for inverse dynamics in closed form."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...dynamics.arrays.arguments import Array
from ...dynamics.arrays.model_arrays import constants_of, topology_of, work_of
from ...kernels import layout
from ...kernels.loops.planar.batch import design_numbers
from ...kernels.loops.planar.equation_of_motion import EquationWorkspace
from ...kernels.loops.planar.inverse_dynamics import PlanarMechanism, PlanarWorkspace
from ...kernels.loops.planar.plan import planar_plan
from ...kernels.loops.planar.rates import StepRates
from ...kernels.loops.planar.walk import WalkWorkspace
from ...kernels.loops.structures import Tree
from ...kernels.recursions.composite_body import COMPOSITE_COLUMNS
from ...model import SubsystemGraph
from ..assembly.explicit import planar_steps
from ..assembly.mechanism import Mechanism
from ..constraints.rows import row_values, spring_laws, spring_rows
from .solver import solver_of

__all__ = [
    "ThreadArrays",
    "design_mechanism",
    "equation_workspace",
    "numbers_of",
    "planar_mechanism",
    "planar_workspace",
    "thread_arrays",
]


class ThreadArrays(NamedTuple):
    """What a thread needs for batches; ``plan``: where these arrays stand (kernels/loops/planar/plan.py)."""

    mechanism: PlanarMechanism
    workspace: PlanarWorkspace
    plan: NDArray[np.int64]


def thread_arrays(graph: SubsystemGraph, friction: str) -> ThreadArrays | None:
    """Those of a graph; None where not all loops are planar. For `workspace_of`: each thread has its own."""
    mechanism = planar_mechanism(solver_of(graph), friction)
    if mechanism is None:
        return None
    workspace = planar_workspace(graph, mechanism)
    return ThreadArrays(mechanism, workspace, planar_plan(mechanism, workspace))


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
            slopes=np.zeros((len(mechanism.steps.joints), 2)),
            inverses=np.zeros((steps, 4)),
            gaps=np.zeros((steps, 2)),
            sines=np.ones(steps),
        ),
        tensions=np.zeros(len(mechanism.springs.laws)),
        newton_euler=work_of(graph),
        full=np.zeros(nq),
        target=np.zeros(nq),
        v=np.zeros(nv),
        vdot=np.zeros(nv),
        tau=np.zeros(nv),
    )


def equation_workspace(graph: SubsystemGraph, mechanism: PlanarMechanism) -> EquationWorkspace:
    """The further arrays that the equation of motion needs."""
    nv, p = graph.nv, len(mechanism.independent_v)
    composite, matrix = work_of(graph, COMPOSITE_COLUMNS), np.zeros((nv, nv))
    squares = np.zeros((p, p)), np.zeros((p, p))
    return EquationWorkspace(composite, matrix, np.zeros((nv, p)), *squares, np.zeros(p))


def design_mechanism(mechanism: PlanarMechanism, graph: SubsystemGraph, terms: int) -> PlanarMechanism:
    """A copy whose numbers (:func:`.design_numbers`) one thread may overwrite; with these terms, too."""
    topology, steps, springs = mechanism.tree.topology.copy(), mechanism.steps, mechanism.springs
    topology[-1, layout.TERMS] |= terms
    rows = springs.rows._replace(anchors=springs.rows.anchors.copy())
    return mechanism._replace(
        tree=Tree(topology, mechanism.tree.constants.copy()),
        springs=springs._replace(
            rows=rows, values=row_values(graph, len(springs.laws)), laws=springs.laws.copy()
        ),
        steps=steps._replace(points=steps.points.copy(), chain=steps.chain.copy(), reach=steps.reach.copy()),
    )


def numbers_of(graph: SubsystemGraph, mechanism: PlanarMechanism) -> Array | None:
    """The numbers of another graph of the same structure, one after the other, as :func:`.design_numbers`.

    None where its loops are solved by other steps.
    """
    made = planar_steps(graph)
    if made is None:
        return None
    _, steps = made
    own = mechanism.steps
    if not (np.array_equal(steps.steps, own.steps) and np.array_equal(steps.joints, own.joints)):
        return None
    springs = mechanism.springs._replace(rows=spring_rows(graph).arrays, laws=spring_laws(graph))
    tree = Tree(mechanism.tree.topology, constants_of(graph))
    other = mechanism._replace(tree=tree, springs=springs, steps=steps)
    return np.concatenate([array.ravel() for array in design_numbers(other)])
