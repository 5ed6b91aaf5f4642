"""Frame poses, jacobians and regressor on lanes and alone, also without the compiler (see `make test`)."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.tree_dynamics import random_state
from modular_dynamics.algebra import to_rotation_translation
from modular_dynamics.dynamics.arrays.model_arrays import with_links
from modular_dynamics.kernels import layout


@pytest.mark.parametrize("floating_base", [False, True])
def test_they_are_the_composition(load_robot, floating_base):
    graph = load_robot("four_link", floating_base=floating_base)
    q, v, vdot = random_state(graph)
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
