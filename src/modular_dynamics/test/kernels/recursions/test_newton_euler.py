"""The kernel against the composition, and against itself without the compiler (see `make test`)."""

import numpy as np
import pytest
from numba import njit

import modular_dynamics as md
from modular_dynamics.dynamics.arrays.model_arrays import constants_of, rows_of, topology_of, work_of
from modular_dynamics.kernels import first_not_finite, inverse_dynamics, layout
from modular_dynamics.kernels.numba_support.compilation import make_ready
from modular_dynamics.kernels.numba_support.memory import zero_float64
from modular_dynamics.kernels.recursions.newton_euler import inward, outward, start


@pytest.fixture(autouse=True, scope="module")
def _ready():
    make_ready(inverse_dynamics, (1, 1, 1, 1))


def arrays(graph, boxes=frozenset()):
    return topology_of(graph, boxes), constants_of(graph), work_of(graph)


@pytest.mark.parametrize("name", ["charmie", "branched_38dof", "four_link", "vendor_arm"])
@pytest.mark.parametrize("floating_base", [False, True])
def test_kernel_is_the_composition(load_robot, name, floating_base):
    graph = load_robot(name, floating_base=floating_base)
    topology, constants, work = arrays(graph)
    rng = np.random.default_rng(0)
    tau = np.full(graph.nv, 7.0)  # what stood there must not matter
    for _ in range(3):
        q, v, vdot = rng.normal(size=graph.nq), rng.normal(size=graph.nv), rng.normal(size=graph.nv)
        inverse_dynamics(topology, constants, work, q, v, vdot, tau)
        expected = md.compose(graph, q, v, vdot)
        # the same algorithm in another order of sums: rounding, relative to the largest torque
        assert np.abs(tau - expected.tau).max() <= 1e-12 * np.abs(expected.tau).max()


@njit(cache=True)
def _subsystem_by_subsystem(topology, constants, work, states, slices, q, v, vdot, tau):
    zero = zero_float64()
    start(topology, constants, work, 1, zero)
    for k in range(len(slices)):
        outward(slices[k, 0], slices[k, 1], topology, constants, q, v, vdot, states, work, 1, zero)
    for k in range(len(slices) - 1, -1, -1):
        inward(slices[k, 0], slices[k, 1], topology, constants, q, states, work, tau, 1, zero)


@pytest.mark.parametrize("name", ["charmie", "branched_38dof"])
def test_one_subsystem_is_a_slice_of_the_graph(load_robot, name):
    graph = load_robot(name)
    topology, constants, work = arrays(graph)
    q, v, vdot, whole = np.random.default_rng(4).normal(size=(4, graph.nv))
    assert inverse_dynamics(topology, constants, work, q, v, vdot, whole) == 0
    states = work[rows_of(work, len(graph.joints)).size :]
    own_work, tau = np.full_like(work, np.nan), np.zeros(graph.nv)
    slices = np.array([(s.indices[0], s.indices[-1] + 1) for s in graph.subsystems])
    _subsystem_by_subsystem(topology, constants, own_work, states, slices, q, v, vdot, tau)
    assert np.abs(tau - whole).max() <= 1e-14 * np.abs(whole).max()  # the compiler fuses other products


def test_the_ground_bears_the_weight(load_robot):
    graph = load_robot("charmie")
    topology, constants, work = arrays(graph)
    rest = np.zeros(graph.nv)
    inverse_dynamics(topology, constants, work, rest, rest, rest, rest.copy())
    weight = 9.81 * sum(body.mass for body in graph.bodies)
    ground = rows_of(work, len(graph.joints))[-1]
    assert ground[layout.FORCE : layout.FORCE + 3] == pytest.approx([0.0, 0.0, weight], abs=1e-11)


def test_angles_of_any_size(load_robot):
    graph = load_robot("branched_38dof")
    topology, constants, work = arrays(graph)
    rng = np.random.default_rng(1)
    q, v, vdot, near, far = rng.normal(size=(5, graph.nv))
    assert inverse_dynamics(topology, constants, work, q, v, vdot, near) == 0
    inverse_dynamics(topology, constants, work, q + 2 * np.pi * 10_000, v, vdot, far)
    # q + 62832 keeps 1e-11 of an angle; torques follow it
    assert np.abs(near - far).max() <= 1e-8 * np.abs(near).max()


def test_torques_in_a_black_box_are_not_numbers(load_robot):
    graph = load_robot("charmie")
    topology, constants, work = arrays(graph, frozenset({"head"}))
    tau = np.zeros(graph.nv)
    inverse_dynamics(topology, constants, work, *np.zeros((3, graph.nv)), tau)
    inside = [graph.v_slice(joint.name).start for joint in graph.subsystem("head").joints]
    assert np.isnan(tau[inside]).all()
    assert np.isfinite(np.delete(tau, inside)).all()


def test_first_not_finite():
    assert first_not_finite(np.zeros(4)) == -1
    assert first_not_finite(np.array([0.0, np.inf, np.nan])) == 1
    assert first_not_finite(np.array([np.nan])) == 0
    assert first_not_finite(np.zeros(0)) == -1


def test_other_types_are_refused_not_compiled_for(load_robot):
    graph = load_robot("charmie")
    if not hasattr(inverse_dynamics, "signatures"):
        pytest.skip("without the compiler there are no types")
    with pytest.raises(TypeError):
        inverse_dynamics(*arrays(graph), *np.zeros((4, graph.nv), np.float32))
    assert len(inverse_dynamics.signatures) == 1
