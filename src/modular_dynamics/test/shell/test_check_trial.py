"""What `check` tries once: where every call of the library and the nodes refuse, it has a finding."""

import numpy as np
import pytest

import modular_dynamics as md
from modular_dynamics.shell.check import tried


def body(name, mass, length):
    moment = mass * length**2 / 12.0
    return (
        f"<link name='{name}'><inertial><origin xyz='{length / 2} 0 0'/><mass value='{mass}'/>"
        f"<inertia ixx='1e-4' ixy='0' ixz='0' iyy='{moment}' iyz='0' izz='{moment}'/></inertial></link>"
    )


def hinge(name, parent, child, x, more=""):
    return (
        f"<joint name='{name}' type='continuous'><parent link='{parent}'/><child link='{child}'/>"
        f"<origin xyz='{x} 0 0'/><axis xyz='0 -1 0'/>{more}</joint>"
    )


LINKS = "<link name='g'/>" + body("crank", 1.0, 0.2) + body("rod", 1.5, 0.5) + body("rocker", 1.2, 0.4)
HINGES = hinge("a", "g", "crank", 0.0) + hinge("b", "crank", "rod", 0.2) + hinge("c", "g", "rocker", 0.5)
PIN = (
    "<loop_joint name='pin' type='revolute'><predecessor link='rod' xyz='0.5 0 0'/>"
    "<successor link='rocker' xyz='0.4 0 0'/><axis xyz='0 -1 0'/></loop_joint>"
)
PASSIVE = "<passive joint='b'/><passive joint='c'/>"
GEAR = "<gear joint='{}' driver='{}' ratio='{}'/>"
SPRING = (
    "<spring name='s' stiffness='9' free_length='0.1'><anchor link='g'/>"
    "<anchor link='{}' xyz='0.1 0 0.1'/></spring>"
)


def four_bar(tags, hinges=HINGES):
    """Crank 0.2, rod 0.5, rocker 0.4, ground 0.5 m."""
    tags = f"<modular_dynamics version='1'>{tags}</modular_dynamics>"
    return f"<robot name='four_bar'>{LINKS}{hinges}{tags}</robot>"


def reasons(description):
    trial = tried(md.load_urdf(description))
    assert trial.findings == sum(map(bool, (trial.unclosed, trial.no_torques, trial.no_accelerations)))
    return trial


@pytest.mark.parametrize(
    "tags",
    [
        PIN + PASSIVE + SPRING.format("rod"),
        GEAR.format("b", "a", -2.0),
        "<passive joint='b'/>",
    ],
)
def test_a_robot_that_computes_has_no_finding(tags):
    trial = reasons(four_bar(tags))
    assert (trial.findings, trial.not_for_nodes) == (0, "")


@pytest.mark.parametrize(
    ("tags", "words"),
    [
        (PIN, "a, b, c of 'four_bar' cannot all be independent"),
        (PIN + PASSIVE + "<passive joint='a'/>", "no torque can be computed"),
        ("<independent><joint name='a'/></independent>", "(a) of 'four_bar' do not determine b, c"),
    ],
)
def test_wrong_mobility_is_the_error_of_every_call(tags, words):
    graph = md.load_urdf(four_bar(tags))
    trial = reasons(four_bar(tags))
    assert words in trial.no_torques
    assert trial.findings == 1
    rest = np.zeros(len(graph.independent_joint_names))
    if rest.size:
        with pytest.raises(md.ModularDynamicsError):
            md.InverseDynamics(graph).solve(rest + 0.3, rest, rest)


@pytest.mark.parametrize(
    ("tags", "words"),
    [
        (PIN + GEAR.format("b", "a", -1.0), "gear of b"),
        (PIN.replace("xyz='0.4 0 0'", "xyz='4 0 0'") + PASSIVE, "pin"),
        (PIN + PASSIVE + "<subsystem name='k' root_link='rod' black_box='true'/>", "black boxes are k"),
    ],
)
def test_loops_that_cannot_close(tags, words):
    trial = reasons(four_bar(tags))
    assert words in trial.unclosed
    assert trial.findings == 1


def test_loops_that_begin_at_a_dead_point_and_stay_there():
    """A parallelogram is in line at zero: every call without a guess refuses."""
    hinges = HINGES.replace("xyz='0.5 0 0'", "xyz='0.4 0 0'")
    tags = PIN.replace("xyz='0.5", "xyz='0.4").replace("link='rocker' xyz='0.4", "link='rocker' xyz='0.2")
    graph = md.load_urdf(four_bar(tags + PASSIVE, hinges))
    assert not md.loops.solver_of(graph).reference().any()
    trial = tried(graph)
    assert "2 degrees of freedom here and 1 independent coordinate" in trial.no_torques
    assert trial.findings == 1
    for q in (0.1, -1.0):
        with pytest.raises(md.SingularityError):
            md.InverseDynamics(graph).solve([q], [0.0], [0.0])
    limits = "<limit lower='0.1' upper='2' effort='1' velocity='1'/>"
    away = hinges.replace("<joint name='c' type='continuous'>", f"<joint name='c' type='revolute'>{limits}")
    assert tried(md.load_urdf(four_bar(tags + PASSIVE, away))).findings == 0


def test_loops_that_close_at_one_pose_alone():
    """A fixed pin keeps rod and rocker parallel: |0.5 x - 0.3 e(rocker)| = 0.2 holds in line alone.

    There the rates of all rows allow a motion.
    """
    tags = PIN.replace("revolute", "fixed").replace("xyz='0.4", "xyz='0.2") + PASSIVE
    graph = md.load_urdf(four_bar(tags))
    trial = tried(graph)
    assert "a of 'four_bar' cannot all be independent: motion of a would open pin" in trial.no_torques
    assert "0 degrees of freedom" in trial.no_torques
    assert trial.findings == 1
    for q in (0.01, -0.3, 1.0):
        with pytest.raises(md.ClosureError):
            md.InverseDynamics(graph).solve([q], [0.0], [0.0])


BALL = "<robot name='r'><link name='a'/>{}{}</robot>"


def test_what_the_nodes_cannot_take_is_said_and_no_finding():
    joint = "<joint name='j' type='floating'><parent link='a'/><child link='b'/></joint>"
    trial = reasons(BALL.format(body("b", 1.0, 0.2), joint))
    assert "floating joint 'j': joint_states cannot carry its state; floating_base:=" in trial.not_for_nodes
    assert trial.findings == 0
