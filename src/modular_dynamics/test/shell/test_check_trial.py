"""What `check` tries once: where every call of the library and the nodes refuse, it has a finding."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.robots.urdf_text import inertial, joint, loop_joint, robot, spring
from modular_dynamics.shell.check import tried

AXIS = (0, -1, 0)
PASSIVE = ("<passive joint='b'/>", "<passive joint='c'/>")
SPRING = spring("s", [("g", (0, 0, 0)), ("rod", (0.1, 0, 0.1))], 9, 0.1, 0)


def body(name, mass, length):
    moment = mass * length**2 / 12.0
    return f'<link name="{name}">{inertial(mass, (length / 2, 0, 0), np.diag([1e-4, moment, moment]))}</link>'


def pin(kind="revolute", on_rod=0.5, on_rocker=0.4, axis=AXIS, turned=0.0):
    """A loop joint; its frame on the rocker is turned about z."""
    ends = ("rod", (on_rod, 0, 0)), ("rocker", (on_rocker, 0, 0), (0, 0, turned))
    return loop_joint("pin", kind, *ends, axis)


def gear(name, driver, ratio):
    return f"<gear joint='{name}' driver='{driver}' ratio='{ratio}'/>"


def four_bar(*tags, ground=0.5, rocker="continuous", limits=None):
    """Crank 0.2, rod 0.5, rocker 0.4, ground 0.5 m."""
    parts = ['<link name="g"/>', body("crank", 1.0, 0.2), body("rod", 1.5, 0.5), body("rocker", 1.2, 0.4)]
    parts.append(joint("a", "continuous", "g", "crank", (0, 0, 0), axis=AXIS))
    parts.append(joint("b", "continuous", "crank", "rod", (0.2, 0, 0), axis=AXIS))
    parts.append(joint("c", rocker, "g", "rocker", (ground, 0, 0), axis=AXIS, limits=limits))
    return md.load_urdf(robot("four_bar", parts, tags))


@pytest.mark.parametrize(
    "tags", [(pin(), *PASSIVE, SPRING), (gear("b", "a", -2.0),), (SPRING,), ("<passive joint='b'/>",)]
)
def test_a_robot_that_computes_has_no_finding(tags):
    trial = tried(four_bar(*tags))
    assert (trial.findings, trial.not_for_nodes) == (0, "")


@pytest.mark.parametrize(
    ("tags", "words"),
    [
        ((pin(),), "a, b, c of 'four_bar' cannot all be independent"),
        (
            (pin(), *PASSIVE, gear("c", "a", 1.0)),
            "0 degrees of freedom here and 1 independent coordinate",
        ),
        (
            (pin(), "<independent><joint name='a'/><joint name='c'/></independent>"),
            "motion of a, c would open pin",
        ),
        ((pin(), *PASSIVE, "<passive joint='a'/>"), "no torque can be computed"),
        ((gear("b", "a", -2.0), gear("a", "b", -0.5)), "(c) of 'four_bar' do not determine a, b"),
        (("<independent><joint name='a'/></independent>",), "(a) of 'four_bar' do not determine b, c"),
    ],
)
def test_wrong_mobility_is_the_error_of_every_call(tags, words):
    graph = four_bar(*tags)
    trial = tried(graph)
    assert words in trial.no_torques
    assert trial.findings == 1
    rest = np.zeros(len(graph.independent_joint_names))
    if rest.size:
        with pytest.raises(md.ModularDynamicsError):
            md.InverseDynamics(graph).solve(rest + 0.3, rest, rest)


@pytest.mark.parametrize(
    ("tags", "words"),
    [
        ((pin(), gear("b", "a", -1.0)), "gear of b"),
        ((pin("fixed", turned=3.14159), *PASSIVE), "reversed"),
        ((pin(on_rocker=4.0), *PASSIVE), "pin"),
        (
            (pin(), *PASSIVE, "<subsystem name='k' root_link='rod' black_box='true'/>"),
            "black boxes are k",
        ),
    ],
)
def test_loops_that_cannot_close(tags, words):
    trial = tried(four_bar(*tags))
    assert words in trial.unclosed
    assert trial.findings == 1


def test_loops_that_begin_at_a_singular_configuration_and_stay_there():
    """A parallelogram is in line at zero: every call without a guess refuses."""
    tags = pin(on_rod=0.4, on_rocker=0.2), *PASSIVE
    graph = four_bar(*tags, ground=0.4)
    assert not md.loops.solver_of(graph).reference().any()
    trial = tried(graph)
    assert "2 degrees of freedom here and 1 independent coordinate" in trial.no_torques
    assert trial.findings == 1
    for q in (0.1, -1.0):
        with pytest.raises(md.SingularityError):
            md.InverseDynamics(graph).solve([q], [0.0], [0.0])
    assert tried(four_bar(*tags, ground=0.4, rocker="revolute", limits=(0.1, 2))).findings == 0


@pytest.mark.parametrize(("kind", "axis"), [("fixed", AXIS), ("revolute", (1, 0, 0))])
def test_loops_that_close_at_one_pose_alone(kind, axis):
    """Such a pin keeps rod and rocker parallel: |0.5 x - 0.3 e(rocker)| = 0.2 holds in line alone.

    There the rates of all rows allow a motion.
    """
    graph = four_bar(pin(kind, on_rocker=0.2, axis=axis), *PASSIVE)
    trial = tried(graph)
    assert "a of 'four_bar' cannot all be independent: motion of a would open pin" in trial.no_torques
    assert "0 degrees of freedom" in trial.no_torques
    assert trial.findings == 1
    for q in (0.01, -0.3, 1.0):
        with pytest.raises(md.ClosureError):
            md.InverseDynamics(graph).solve([q], [0.0], [0.0])


def test_what_the_nodes_cannot_take_is_said_and_no_finding():
    parts = ['<link name="a"/>', body("b", 1.0, 0.2), joint("j", "floating", "a", "b", (0, 0, 0))]
    trial = tried(md.load_urdf(robot("r", parts)))
    assert "floating joint 'j': joint_states cannot carry its state; floating_base:=" in trial.not_for_nodes
    assert trial.findings == 0
