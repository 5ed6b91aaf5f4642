"""The graph: what a change of it is, tools that are black boxes, what it prints."""

from dataclasses import FrozenInstanceError

import pytest

import modular_dynamics as md


def test_a_change_gives_a_graph_and_nothing_can_be_added_to_it(load_robot):
    graph = load_robot("four_link")
    link = graph.bodies[-1].name
    changed = graph.with_payload(link, mass=1.0).with_parameters({"gravity x": 1.0}).without(link)
    changed = changed.lock({changed.joint_names[0]: 0.1}).attach(graph, graph.links[0], prefix="a_")
    assert type(changed) is md.SubsystemGraph
    with pytest.raises(FrozenInstanceError):
        changed.colour = "red"


def test_a_black_box_without_joints_takes_its_links_away():
    """A tool fixed to the flange: its mass is in its wrench, not in the arm's last body."""
    text = """<robot name="r"><link name="base"/>
      <link name="arm"><inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
      </inertial></link>
      <link name="tool"><inertial><mass value="5"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
      </inertial></link>
      <joint name="lift" type="prismatic"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
        <limit lower="0" upper="1" effort="1" velocity="1"/></joint>
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


def test_print_shows_subsystems_joints_connection_points_black_boxes_and_mimics(load_robot, boxed_arm):
    text = str(load_robot("charmie"))
    first = "charmie: 5 subsystems, 19 moving joints, nq = 19, nv = 19, moving mass 55.6 kg"
    assert text.splitlines()[0] == first
    for words in ("torso (2 joints) at link body_3 of base", "torso_lift: prismatic along [0, 0, 1]"):
        assert words in text
    for words in ("tool (2 joints, black box)", "mimics tv7_left_finger_joint"):
        assert words in str(boxed_arm)
