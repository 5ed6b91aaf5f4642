"""The graph: how it is asked, what it answers to wrong names, what it prints."""

import numpy as np
import pytest

import modular_dynamics as md


def test_slices_cover_the_vectors_in_order(load_robot):
    graph = load_robot("four_link", floating_base=True)
    q = [k for name in graph.joint_names for k in range(*graph.q_slice(name).indices(graph.nq))]
    v = [k for name in graph.joint_names for k in range(*graph.v_slice(name).indices(graph.nv))]
    assert q == list(range(graph.nq))
    assert v == list(range(graph.nv))
    assert graph.neutral().tolist() == [0, 0, 0, 1, 0, 0, 0] + [0] * 4


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda graph: graph.joint("nose"), "no joint 'nose' in 'charmie'; its joints: base_x"),
        (lambda graph: graph.subsystem("tail"), "no subsystem 'tail' .* its subsystems: base, torso"),
        (lambda graph: graph.link_body("nose"), "no link 'nose' .* its links: world"),
    ],
)
def test_unknown_names_are_answered_with_the_choices(load_robot, ask, message):
    with pytest.raises(KeyError, match=message):
        ask(load_robot("charmie"))


def test_a_black_box_without_joints_takes_its_links_away():
    """A tool fixed to the flange: its mass is in its wrench, not in the arm's last body."""
    text = """<robot name="r"><link name="base"/>
      <link name="arm"><inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
      </inertial></link>
      <link name="tool"><inertial><mass value="5"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
      </inertial></link>
      <joint name="lift" type="prismatic"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
        <limit effort="1" velocity="1"/></joint>
      <joint name="mount" type="fixed"><parent link="arm"/><child link="tool"/><origin xyz="0 0 1"/></joint>
      <modular_dynamics version="1"><subsystem name="arm" root_link="arm"/>
        <subsystem name="tool" root_link="tool" black_box="true"/></modular_dynamics></robot>"""
    graph = md.load_urdf(text)
    tool = graph.subsystem("tool")
    assert (len(tool.joints), tool.predecessor, tool.connection.link) == (0, 0, "arm")
    assert graph.bodies[0].mass == 2.0
    boxes = {"tool": [0, 0, 50.0, 0, 0, 0]}
    lift = md.inverse_dynamics(graph, [0], [0], [0], black_box_wrenches=boxes)
    # force of the arm on the tool, held up by the arm: 2 kg of its own and the given 50 N
    assert lift == pytest.approx([2 * 9.81 + 50.0])
    assert md.compose(graph, [0], [0], [0], black_box_wrenches=boxes).tau == pytest.approx(lift)
    result = md.InverseDynamics(graph).solve([0], [0], [0], black_box_wrenches=boxes)
    link, wrench = result.connection_wrench_in_link(1)
    assert link == "arm"
    assert wrench == pytest.approx([0, 0, 50.0, 0, 0, 0])
    check = md.crosscheck.CrossCheck(graph)
    assert check([0], [0], [0], lift, black_box_wrenches=boxes).worst < 1e-12


def test_links_of_the_ground_belong_to_no_body(load_robot):
    graph = load_robot("charmie")
    assert graph.link_body("world") is None
    assert np.isfinite([body.mass for body in graph.bodies]).all()


def test_every_link_has_a_pose_in_its_body(load_robot):
    graph = load_robot("charmie")
    assert graph.links[0] == graph.ground.name
    for link in graph.links:
        body, x_body_link = graph.link_pose(link)
        assert body == graph.link_body(link)
        owner = graph.ground if body is None else graph.bodies[body]
        assert owner.links[link] is x_body_link
    with pytest.raises(KeyError, match="no link 'lid' in 'charmie'; its links: "):
        graph.link_pose("lid")


def test_print_shows_subsystems_joints_and_connection_points(load_robot):
    text = str(load_robot("charmie"))
    first = "charmie: 5 subsystems, 19 moving joints, nq = 19, nv = 19, moving mass 55.6 kg"
    assert text.splitlines()[0] == first
    assert "torso (2 joints) at link body_3 of base" in text
    assert "torso_lift: prismatic along [0, 0, 1], body_3 → body_4" in text
    assert "base (3 joints) at link world of the ground" in text


def test_print_shows_black_boxes_and_mimics(boxed_arm):
    text = str(boxed_arm)
    assert "tool (2 joints, black box)" in text
    assert "mimics tv7_left_finger_joint" in text
