"""Frame poses, jacobians and regressor on lanes and alone, also without the compiler (see `make test`)."""

import numpy as np
import pytest

import modular_dynamics as md
from modular_dynamics import kernels
from modular_dynamics.algebra import to_rotation_translation
from modular_dynamics.dynamics.arrays.model_arrays import with_links
from modular_dynamics.kernels import layout


def states(graph, count):
    rng = np.random.default_rng(0)
    return rng.normal(size=(count, graph.nq)), *rng.normal(size=(2, count, graph.nv))


def solvers(graph):
    link = graph.links[-1]
    return [
        md.FramePoses(graph),
        md.Jacobian(graph, link),
        md.Jacobian(graph, link, "link"),
        md.Regressor(graph),
    ]


@pytest.mark.parametrize("which", range(4))
@pytest.mark.parametrize("floating_base", [False, True])
def test_lanes_and_single_states_agree(load_robot, which, floating_base):
    graph = load_robot("four_link", floating_base=floating_base)
    solver = solvers(graph)[which]
    given = states(graph, 9)[: 3 if which == 3 else 1]
    batch = solver.batch()(dict(zip(("q", "v", "vdot"), given, strict=False)), 1, None, np.float64, None)
    for row, state in zip(batch, zip(*given, strict=True), strict=True):
        assert np.abs(row - solver(*state)).max() <= 1e-12 * np.abs(batch).max()


@pytest.mark.parametrize("floating_base", [False, True])
def test_they_are_the_composition(load_robot, floating_base):
    graph = load_robot("four_link", floating_base=floating_base)
    (q,), (v,), (vdot,) = states(graph, 1)
    composed = md.compose(graph, q, v, vdot)
    poses = dict(zip(graph.links, md.FramePoses(graph)(q), strict=True))
    for subsystem, motion in zip(graph.subsystems, composed.motions, strict=True):
        for body, x_a_body in zip(subsystem.bodies, motion.x_a_body, strict=True):
            rotation, position = to_rotation_translation(motion.x_ground_a * x_a_body)
            assert poses[body.name][:3] == pytest.approx(np.column_stack([rotation, position]), abs=1e-12)
    body = graph.bodies[-1]
    linear, angular = (md.Jacobian(graph, body.name, "link")(q) @ v).reshape(2, 3)
    at_com = np.concatenate([angular, linear + np.cross(angular, body.com)])
    assert at_com == pytest.approx(composed.twists[-1].vec6(), abs=1e-12)
    tau = md.Regressor(graph)(q, v, vdot) @ md.inertial_parameters(graph)
    assert np.abs(tau - composed.tau).max() <= 1e-12 * np.abs(composed.tau).max()


def test_only_joints_that_carry_the_links_are_kept(load_robot):
    graph = load_robot("branched_38dof")
    topology, constants = with_links(graph, [graph.ground.name])
    assert len(topology) == len(constants) == 2
    assert topology[0].tolist() == [1, layout.FIXED, 0, 0, 0]
    body = graph.bodies[2]
    way, k = [], 2
    while k is not None:
        way.append(k)
        k = graph.parents[k]
    topology, _ = with_links(graph, [body.name, body.name])
    assert topology[:, layout.KIND].tolist()[-3:-1] == [layout.FIXED] * 2
    assert len(topology) == len(way) + 3


def test_lengths_are_checked_before_anything_is_written(load_robot):
    graph = load_robot("four_link")
    compiled = kernels.frame_poses, kernels.jacobian, kernels.jacobian, kernels.regressor
    for solver, kernel, count in zip(solvers(graph), compiled, (1, 1, 1, 3), strict=True):
        good = [np.ones(graph.nv)] * count
        for shape in ((1, *solver.shape[1:]), (*solver.shape[:-1], 1)):
            out = np.full(shape, 7.0)
            assert kernel(solver.topology, solver.constants, solver._work, *good, out) == 1
            assert (out == 7.0).all()
        out = np.full(solver.shape, 7.0)
        spoiled = [np.full(graph.nv, np.nan), *good[1:]]
        assert kernel(solver.topology, solver.constants, solver._work, *spoiled, out) == 1
        assert (out == 7.0).all()
