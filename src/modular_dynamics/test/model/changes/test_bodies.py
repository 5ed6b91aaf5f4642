"""Bodies of changed graphs: what is known of their links, and bodies that a caller replaced."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import modular_dynamics as md
from helpers.changed_robots import add_fixed_link, edited, untagged
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import random_trees
from helpers.robots.closed_robots import STATES
from modular_dynamics.algebra import DualQuaternion
from modular_dynamics.model import Body


def test_links_have_their_own_masses(load_robot):
    for body in load_robot("charmie").bodies:
        assert sum(part.inertial.mass for part in body.parts) == pytest.approx(body.mass)
        assert [part.name for part in body.parts if part.parent is None] == [body.name]
    massless = Body("a", {"a": DualQuaternion.identity, "b": DualQuaternion.identity})
    assert [(part.name, part.parent) for part in massless.parts] == [("a", None), ("b", "a")]
    assert massless.mass == 0.0


def test_payloads_and_masses_of_links_are_changed_apart(load_robot):
    graph = load_robot("four_link").with_payload("lower_stem", mass=1.0)
    lighter = graph.with_parameters({"link lower_stem mass": 0.5})
    assert lighter.bodies[0].mass == 1.5
    assert lighter.with_payload("lower_stem", mass=0.0).bodies[0].mass == 0.5


# Payloads: as a link fixed in the URDF, as Pinocchio adds inertias, and gone without a trace.

LOAD = {"mass": 2.5, "com": [0.1, -0.2, 0.3], "inertia": np.diag([0.02, 0.03, 0.04]) + 0.001}


@examples(30)
@given(tree=random_trees(largest=20), data=st.data())
def test_is_a_link_fixed_in_the_urdf(tree, data):
    graph = untagged(tree.urdf)
    link = data.draw(st.sampled_from(graph.links))
    theirs = untagged(edited(tree.urdf, lambda root: add_fixed_link(root, link, "load", **LOAD)))
    ours = graph.with_payload(link, **LOAD)
    state = tree.state(graph)
    expected = md.inverse_dynamics(theirs, *state)
    scale = max(np.abs(expected).max(), 1.0)
    assert np.abs(md.inverse_dynamics(ours, *state) - expected).max() <= 1e-12 * scale
    assert np.abs(md.compose(ours, *state).tau - expected).max() <= 1e-11 * scale
    assert md.crosscheck.rnea_residual(ours, *state).max() <= 1e-12 * scale
    assert np.abs(md.mass_matrix(ours, state[0]) - md.mass_matrix(theirs, state[0])).max() <= 1e-11 * scale


def test_is_replaced_and_removed_exactly(load_robot):
    graph = load_robot("charmie")
    link, another = graph.bodies[-1].name, graph.bodies[3].name
    loaded = graph.with_payload(another, mass=1.0).with_payload(link, mass=3.0).with_payload(link, mass=1.0)
    assert {name: load.mass for name, load in loaded.payloads.items()} == {another: 1.0, link: 1.0}
    assert loaded.bodies[-1].mass == pytest.approx(graph.bodies[-1].mass + 1.0, rel=1e-15)
    empty = loaded.with_payload(link, mass=0.0).with_payload(another, mass=0)
    assert not empty.payloads
    for ours, theirs in zip(empty.bodies, graph.bodies, strict=True):
        assert (ours.mass, ours.com.tolist()) == (theirs.mass, theirs.com.tolist())
        assert ours.inertia.tobytes() == theirs.inertia.tobytes()
    assert not graph.payloads


def test_two_links_of_one_body_carry_their_own():
    text = """<robot name="r"><link name="base"/><link name="arm"/><link name="tool"/>
      <joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
      <joint name="f" type="fixed"><parent link="arm"/><child link="tool"/><origin xyz="1 0 0"/></joint>
      </robot>"""
    with pytest.warns(md.ModelWarning, match=r"has no mass"):
        graph = md.load_urdf(text)
    both = graph.with_payload("arm", mass=2.0).with_payload("tool", mass=3.0)
    assert (both.bodies[0].mass, both.bodies[0].com.tolist()) == (5.0, [0.6, 0.0, 0.0])
    tau = md.inverse_dynamics(both, [0.0], [0.0], [0.0])
    assert tau == pytest.approx([-3.0 * 9.81], rel=1e-15)  # a positive turn about y lowers the tool
    assert both.with_payload("arm", mass=0.0).bodies[0].mass == 3.0


def test_in_a_loop_takes_part_in_its_torques(load_robot):
    """Virtual power: gravity's torque is the derivative of the potential energy of the load."""
    graph, load = load_robot("four_bar"), {"mass": 2.0, "com": [0.05, 0.02, 0.0]}
    loaded = graph.with_payload("coupler", **load)
    q = STATES["four_bar"]

    def height(q):
        closed = md.close_loops(graph, q)
        (pose,) = md.frame_poses(graph.tree, closed, ["coupler"])
        return (pose @ [*load["com"], 1.0])[:3]

    difference = [md.gravity_torque(g, q)[0] for g in (loaded, graph)]
    slope = (height(q + 1e-6) - height(q - 1e-6)) @ graph.gravity / 2e-6
    assert difference[0] - difference[1] == pytest.approx(-load["mass"] * slope, rel=1e-8)


@pytest.mark.parametrize(
    ("load", "message"),
    [
        ({"mass": -1.0}, "mass of the payload on link '.*' is -1 kg; it cannot be negative"),
        ({"mass": np.nan}, "is nan; a finite number"),
        ({"mass": "1"}, "is '1'; a number"),
        ({"mass": True}, "is True; a number"),
        ({"mass": 1.0, "com": [0, 0]}, r"centre of mass .* shape \(3,\)"),
        ({"mass": 1.0, "com": [0, 0, np.inf]}, "finite numbers"),
        ({"mass": 1.0, "inertia": np.eye(2)}, r"inertia .* shape \(3, 3\)"),
        ({"mass": 1.0, "inertia": np.triu(np.ones((3, 3)))}, "a symmetric matrix"),
        (
            {"mass": 1.0, "inertia": -np.eye(3)},
            "principal moments -1, -1, -1 .* none can be negative",
        ),
        ({"mass": 0.0, "inertia": np.eye(3)}, "no mass, which removes it"),
    ],
)
def test_what_no_body_weighs_is_refused(load_robot, load, message):
    graph = load_robot("four_link")
    with pytest.raises(md.ModelError, match=message):
        graph.with_payload(graph.links[-1], **load)


def test_a_broken_triangle_inequality_is_a_warning_at_the_callers_line(load_robot):
    with pytest.warns(md.ModelWarning, match=r"breaks the triangle inequality") as caught:
        load_robot("four_link").with_payload("lower_stem", mass=1.0, inertia=np.diag([1.0, 1.0, 3.0]))
    assert caught[0].filename == __file__


def test_unknown_links_are_computed_with_the_choices(load_robot):
    with pytest.raises(md.UnknownNameError, match=r"^no link 'nose' in 'charmie'; its links: world"):
        load_robot("charmie").with_payload("nose", mass=1.0)


def test_in_a_black_box_is_refused(boxed_arm):
    for link in ("tv7_gripper_base", "tv7_left_finger"):
        with pytest.raises(md.UnsupportedModelError, match=r"belongs to the black box 'tool'"):
            boxed_arm.with_payload(link, mass=1.0)
