import pytest

from helpers.paths import ROBOTS
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.subsystem.part import subsystem_part
from modular_dynamics_ros.exceptions import RobotError

pytestmark = pytest.mark.ros


@pytest.mark.parametrize(
    ("robot", "subsystem", "words"),
    [
        (
            "crane",
            "column",
            "loop joint 'lift_pin' connects 'boom', 'lift_rod' of two subsystems.*dynamics_node",
        ),
        (
            "charmie",
            "tail",
            "'charmie' has no subsystem 'tail'; it has base, torso, left_arm, right_arm, head",
        ),
    ],
)
def test_what_cannot_be_cut_out_is_refused_by_name(robot, subsystem, words):
    with pytest.raises(RobotError, match=words):
        subsystem_part(load_robot(str(ROBOTS / f"{robot}.urdf")), subsystem)


def test_a_mimic_joint_of_another_subsystem_is_refused(chain):
    urdf = chain("b", '<mimic joint="j1"/>').replace("black_box='true'", "")
    with pytest.raises(RobotError, match="joint 'j3' mimics 'j1' of another subsystem"):
        subsystem_part(load_robot(urdf), "tip")


def test_a_part_knows_its_own_bodies_alone():
    part = subsystem_part(load_robot(str(ROBOTS / "charmie.urdf")), "torso")
    graph = part.robot.graph
    assert [body.mass for body in graph.bodies[1:]] == [
        body.mass for body in load_robot(str(ROBOTS / "charmie.urdf")).graph.subsystem("torso").bodies
    ]
    assert part.robot.state_names == ("torso_lift", "torso_pitch")
    assert (graph.bodies[0].mass, graph.name, part.predecessor) == (0.0, "charmie", "base")
    assert [one.subsystem for one in part.successors] == ["left_arm", "right_arm", "head"]
    assert "subsystem 'torso' of 'charmie': 2 joints, on 'base'; it carries 'left_arm'" in part.robot.about


def test_an_end_of_a_spring_may_be_on_the_body_that_carries_the_subsystem():
    """CHARMIE's torso with its springs between torso and mobile base."""
    robot = load_robot(str(ROBOTS / "charmie_torso.urdf"))
    owners = {one.name: subsystem_part(robot, one.name).robot.graph for one in robot.graph.subsystems}
    held = [spring.name for graph in owners.values() for spring in graph.springs]
    assert sorted(held) == sorted(spring.name for spring in robot.graph.springs)
    assert sum(len(graph.loop_joints) for graph in owners.values()) == len(robot.graph.loop_joints)
