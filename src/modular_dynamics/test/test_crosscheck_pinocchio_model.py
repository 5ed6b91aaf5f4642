"""Pinocchio's model of a graph is the one that its own parser reads from the unchanged URDF."""

import re
from dataclasses import replace

import numpy as np
import pinocchio
import pytest
from hypothesis import given

import modular_dynamics as md
from helpers.paths import ROBOTS
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import random_trees


def assert_parser_reads_the_same(graph):
    """Joints, placements, masses, frames of links and torques: by name, because the order may differ."""
    root = [pinocchio.JointModelFreeFlyer()] if graph.floating_base else []
    theirs, ours = pinocchio.buildModelFromXML(graph.urdf, *root), md.crosscheck.PinocchioModel(graph).model
    assert {*ours.names} == {*theirs.names}
    for name in theirs.names:
        i, k = ours.getJointId(name), theirs.getJointId(name)
        assert ours.names[ours.parents[i]] == theirs.names[theirs.parents[k]]
        kind = theirs.joints[k].shortname().replace("RevoluteUnboundedUnaligned", "RevoluteUnaligned")
        assert ours.joints[i].shortname() == kind
        assert ours.jointPlacements[i].isApprox(theirs.jointPlacements[k], 1e-12)
        if k > 0:  # the ground's mass is not in the model
            assert ours.inertias[i].isApprox(theirs.inertias[k], 1e-12)
    for link in set(graph.links) - {"universe"}:
        frame, other = (model.frames[model.getFrameId(link, pinocchio.BODY)] for model in (ours, theirs))
        assert ours.names[frame.parentJoint] == theirs.names[other.parentJoint]
        assert frame.placement.isApprox(other.placement, 1e-12)
    assert_same_torques(graph, theirs)


def assert_same_torques(graph, theirs):
    """At a random state, which tells axes apart too."""
    pin = md.crosscheck.PinocchioModel(graph)
    theirs.gravity = pin.model.gravity
    rng = np.random.default_rng(0)
    q, v, a = rng.normal(size=graph.nq), *rng.normal(size=(2, graph.nv))

    def torques(model):
        order = md.joint_order.from_pinocchio(graph, model)
        state = order.to_q(q), order.to_v(v), order.to_v(a)
        return order.from_tau(pinocchio.rnea(model, model.createData(), *state))

    ours, read = torques(pin.model), torques(theirs)
    assert np.abs(ours - read).max(initial=0.0) <= 1e-12 * max(np.abs(read).max(initial=0.0), 1.0)


def test_of_each_robot(tree_robot):
    assert_parser_reads_the_same(tree_robot)


@pytest.mark.parametrize("name", ["four_bar", "crane", "exoskeleton", "charmie_torso"])
def test_of_open_trees_of_robots_with_loops(load_robot, name):
    assert_parser_reads_the_same(load_robot(name).tree)


@examples(40)
@given(tree=random_trees())
def test_of_random_trees(tree):
    assert_parser_reads_the_same(md.load_urdf(tree.urdf, {"version": 1, "subsystems": []}))


def test_a_heavier_body_is_followed(load_robot):
    """The cross-check, the composition and the kernels see one model: the URDF says something else now."""
    graph = load_robot("branched_38dof")
    heavier = graph.with_payload(graph.bodies[20].name, mass=3.0)
    state = np.random.default_rng(0).normal(size=(3, graph.nv))
    tau = md.inverse_dynamics(heavier, *state)
    assert np.abs(tau - md.inverse_dynamics(graph, *state)).max() > 1.0
    assert md.crosscheck.rnea_residual(heavier, *state).max() <= 1e-12 * np.abs(tau).max()
    assert md.compose(heavier, *state).tau == pytest.approx(tau, rel=1e-10, abs=1e-10)


def test_an_inertia_that_was_loaded_with_a_warning(load_robot):
    """Pinocchio's own parser takes it, too."""
    text = load_robot("four_link").urdf
    first = re.search('ixx="([^"]*)"', text)
    with pytest.warns(md.ModelWarning, match="negative"):
        graph = md.load_urdf(text.replace(first.group(), 'ixx="-0.5"', 1))
    assert_parser_reads_the_same(graph)


def test_a_ball_joint_and_an_armature_are_taken_over():
    """Against the closed form: M of a ball joint is its inertia, an armature adds to the diagonal."""
    text = """<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="2"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.5"/></inertial></link>
      <joint name="turn" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
      </robot>"""
    graph = md.load_urdf(text)
    (joint,) = graph.joints
    driven = md.crosscheck.PinocchioModel(replace(graph, joints=(replace(joint, armature=0.5),)))
    assert pinocchio.crba(driven.model, driven.data, driven.q(np.ones(1))) == pytest.approx(3.0)
    ball = md.crosscheck.PinocchioModel(replace(graph, joints=(replace(joint, type=md.JointType.SPHERICAL),)))
    theirs = ball.q(np.array([3.0, 0.0, 4.0, 0.0]))
    assert theirs == pytest.approx([0.0, 0.8, 0.0, 0.6])  # x y z w
    M = pinocchio.crba(ball.model, ball.data, theirs)
    assert np.triu(M) == pytest.approx(np.diag([1.0, 2.0, 2.5]))


def test_a_joint_may_have_the_name_of_pinocchios_first_one():
    text = (ROBOTS / "four_link.urdf").read_text("utf-8").replace('"bend"', '"universe"')
    graph = md.load_urdf(text)
    assert "universe" in graph.joint_names
    assert md.crosscheck.rnea_residual(graph, *np.full((3, graph.nv), 0.3)).max() < 1e-12


def test_large_inertias_whose_rounding_is_not_symmetric_are_compared():
    """Pinocchio's tolerance of symmetry is absolute; merging links rounds relative to the numbers."""
    inertia = '<inertia ixx="3e6" ixy="1e5" ixz="2e5" iyy="4e6" iyz="3e5" izz="5e6"/>'
    link = '<link name="{}"><inertial><origin rpy="{}"/><mass value="1"/>' + inertia + "</inertial></link>"
    joint = '<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{0}"/>'
    joint += '<origin rpy="0.3 0.2 0.1"/></joint>'
    links = "".join(link.format(f"l{k}", f"0.{k} 0.7 0.{k + 3}") for k in range(6))
    joints = joint.format("l1", "continuous", "l0") + "".join(
        joint.format(f"l{k}", "fixed", f"l{k - 1}") for k in range(2, 6)
    )
    graph = md.load_urdf(f'<robot name="r">{links}{joints}</robot>')
    assert md.crosscheck.rnea_residual(graph, *np.full((3, graph.nv), 0.3)).max() < 1e-12 * 1e8
