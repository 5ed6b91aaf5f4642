"""Graphs that were written as URDF and read back: names, order, torques, mass matrix."""

import warnings

import numpy as np
import pinocchio

import modular_dynamics as md
from modular_dynamics.model import closing_elements

#: Rounding of torques and mass matrices, relative to the largest number.
ROUNDING = 1e-12


def read_back(graph, **options):
    """What `load_urdf` reads of `to_urdf`; warnings are those of the first reading."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.ModelWarning)
        return md.load_urdf(graph.to_urdf(), **options)


def assert_same(read, graph, seed=0):
    """Names, order and subsystems are equal; torques and mass matrix of the tree at a random state, too.

    Without black boxes the torques are Pinocchio's and the composition's.
    """
    assert (read.name, read.joint_names, {*read.links}) == (graph.name, graph.joint_names, {*graph.links})
    assert read.floating_base == graph.floating_base
    assert read.independent_joint_names == graph.independent_joint_names
    assert closing_elements(read).keys() == closing_elements(graph).keys()
    np.testing.assert_array_equal(read.gravity, graph.gravity)
    for one, other in zip(read.subsystems, graph.subsystems, strict=True):
        assert (one.name, one.black_box, one.predecessor) == (other.name, other.black_box, other.predecessor)
        assert {joint.name for joint in one.joints} == {joint.name for joint in other.joints}
    for joint in graph.joints:
        its = read.joint(joint.name)
        assert (its.limits, its.mimic, its.parent_link) == (joint.limits, joint.mimic, joint.parent_link)
        assert (its.damping, its.friction) == (joint.damping, joint.friction)
    rng = np.random.default_rng(seed)
    q = graph.integrate(graph.neutral(), rng.normal(size=graph.nv))
    v, a = rng.normal(size=(2, graph.nv))
    boxes = {box.name: rng.normal(size=6) for box in graph.subsystems if box.black_box}
    loads = {link: rng.normal(size=6) for link in rng.choice(list(graph.links), 3)} if not boxes else None
    for friction in ("none", "urdf"):
        ours, theirs = (
            md.inverse_dynamics(
                each.tree,
                q,
                v,
                a,
                external_wrenches=loads,
                black_box_wrenches=boxes or None,
                friction=friction,
            )
            for each in (graph, read)
        )
        assert_close(theirs, ours)
    if not boxes:
        assert_close(md.mass_matrix(read.tree, q), md.mass_matrix(graph.tree, q))
        tau = md.inverse_dynamics(graph.tree, q, v, a)
        bound = 10 * ROUNDING * max(1.0, np.abs(tau).max(initial=0.0))
        assert md.crosscheck.rnea_residual(graph.tree, q, v, a).max(initial=0.0) <= bound
        assert np.abs(md.compose(graph.tree, q, v, a).tau - tau).max(initial=0.0) <= bound


def assert_close(one, other, rounding=ROUNDING):
    """Equal up to rounding, relative to the largest number; torques inside black boxes are NaN in both."""
    scale = max(1.0, np.nanmax(np.abs(other), initial=0.0))
    np.testing.assert_allclose(one, other, rtol=0, atol=rounding * scale)


def torques_by_pinocchio(text, graph, q, v, a):
    """Torques in the graph's order of the robot that Pinocchio reads from a URDF text by urdfdom.

    Mimic joints, which are independent there, move as the graph says; their torque is added to the driver's.
    """
    model = pinocchio.buildModelFromXML(text)
    assert {*list(model.names)[1:]} == {joint.name for joint in graph.joints}
    model.gravity = pinocchio.Motion(np.array(graph.gravity), np.zeros(3))
    order = md.joint_order.from_pinocchio(graph, model)
    state = order.to_q(q), order.to_v(v), order.to_v(a)
    return order.from_tau(pinocchio.rnea(model, model.createData(), *state))
