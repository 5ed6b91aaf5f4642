"""Reactions of the care robot's torso from a solution of its loops."""

from collections import Counter
from copy import copy
from dataclasses import replace

import numpy as np
import pytest
import yaml

import modular_dynamics as md
from helpers.paths import ROBOTS
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.reactions import ReactionComputation
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.values import ComputationSettings
from modular_dynamics_ros.exceptions import BadMessage, RobotError
from modular_dynamics_ros.reactions import loads_status, reactions_status

pytestmark = pytest.mark.ros

RULES = ROBOTS / "charmie_torso_rules.yaml"
REST = np.zeros(19)
STATE = (np.linspace(-0.02, 0.02, 19), np.linspace(0.03, -0.03, 19), np.linspace(-0.5, 0.5, 19))


@pytest.fixture(scope="module")
def robot():
    return load_robot(ROBOTS / "charmie_torso.urdf")


@pytest.fixture(scope="module")
def computation(robot):
    return ReactionComputation(robot, str(RULES), 1e-9)


def test_names_limits_and_what_it_carries(computation):
    assert computation.actuators == ("act5", "act4")
    assert computation.limits.tolist() == [1500.0, 600.0]
    assert computation.springs == ("s5", "sr4", "sl4")
    assert computation.load_names == ("left_arm", "right_arm", "head")


def test_actuators_agree_with_virtual_power_and_the_ground_bears_the_weight(robot, computation):
    reactions = computation(md.InverseDynamics(robot.graph).solve(*STATE))
    assert reactions.disagreement < 1e-9
    assert max(reactions.residual) < 1e-9
    still = computation(md.InverseDynamics(robot.graph).solve(REST, REST, REST))
    assert still.wrench("j3")[2] == pytest.approx(545.4, abs=0.05)
    assert 0.0 < still.singularity_distance == pytest.approx(1.0 / still.dynamics.condition)


def test_wrenches_that_come_from_elsewhere_are_the_same_or_add_to_the_load(robot, computation):
    dynamics = md.InverseDynamics(robot.graph).solve(*STATE)
    own, subsystems = computation(dynamics), [subsystem.name for subsystem in robot.graph.subsystems]
    one = Computation(robot, ComputationSettings())
    q, v, a = STATE
    state = one.observe(0, q, v)._replace(a=a)
    solution = one.compute(state, 0, None).dynamics
    wrench_in_link = solution.tree.connection_wrench_in_link
    given = {name: wrench_in_link(subsystems.index(name)) for name in computation.load_names}
    same = computation(dynamics, given)
    assert same.shared.wrenches == pytest.approx(own.shared.wrenches, abs=1e-9)
    assert np.isnan(same.disagreement)  # virtual power knows nothing of loads from topics
    # 10 N more in the head's axes: body 2 has to bear them, whatever their direction is
    link, wrench = given["head"]
    more = computation(dynamics, given | {"head": (link, np.add(wrench, [0.0, 6.0, 8.0, 0.0, 0.0, 0.0]))})
    extra = more.wrench("j3")[:3] - own.wrench("j3")[:3]
    assert np.linalg.norm(extra) == pytest.approx(10.0, abs=1e-9)


def test_a_wrench_at_a_links_origin_has_the_same_moment_about_the_joint(robot, computation):
    reactions = computation(md.InverseDynamics(robot.graph).solve(*STATE))
    for name, joint in computation.rules.joints.items():
        at, (_, moved) = reactions.wrench(name), reactions.wrench_on_link(name, joint.axes)
        pose = md.frame_poses(robot.graph.tree, reactions.dynamics.coordinates, [joint.axes])[0]
        arm = pose[:3, :3].T @ (pose[:3, 3] - reactions.point(name))
        assert moved[:3] == pytest.approx(at[:3], abs=0.0)
        assert moved[3:] + np.cross(arm, moved[:3]) == pytest.approx(at[3:], abs=1e-9)


def leave_body_4_out_of_equilibrium(content):
    steps = content["steps"]
    last = next(k for k, step in enumerate(steps) if step.get("takes") == "j4.My")
    steps[last] = {"body": "body_4", "zero": ["j4.My"]}


UNBALANCED = r"do not work where the robot is at rest: the rules leave an equilibrium residual of .* N m"
CONTRADICTION = r"do not fit the robot, at rest: .* virtual power by [\d.]+ N"


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (leave_body_4_out_of_equilibrium, UNBALANCED),
        # it would pull; it would act along another line; a spring is forgotten
        (lambda c: c["joints"]["act4"].update({"from": "act4_pin", "at": "act4_pivot"}), CONTRADICTION),
        (lambda c: c["joints"]["act4"].update({"from": "base_yaw", "at": "torso_lift"}), CONTRADICTION),
        (lambda c: c["steps"].__setitem__(0, {"body": "body_5", "zero": ["s5.pull"]}), CONTRADICTION),
    ],
)
def test_rules_without_equilibrium_or_against_virtual_power_are_refused(robot, tmp_path, edit, words):
    content, path = yaml.safe_load(RULES.read_text()), tmp_path / "rules.yaml"
    edit(content)
    path.write_text(yaml.safe_dump(content, sort_keys=False))
    with pytest.raises(RobotError, match=words):
        ReactionComputation(robot, str(path), 1e-9)


def test_what_cannot_be_shared_is_a_bad_message(robot, computation):
    dynamics = md.InverseDynamics(robot.graph).solve(*STATE)
    with pytest.raises(BadMessage, match="six finite numbers") as refused:
        computation(dynamics, {"head": ("body_6c", np.full(6, np.inf))})
    assert refused.value.cause == "cannot be shared"
    unknown = replace(dynamics, tensions=dict.fromkeys(dynamics.tensions, np.nan))
    with pytest.raises(BadMessage, match="equilibrium"):
        computation(unknown)


def test_status_names_limits_slack_springs_and_singular_configurations(robot, computation):
    reactions = computation(md.InverseDynamics(robot.graph).solve(REST, REST, REST))
    good = reactions_status(computation, reactions)
    assert (good.level, good.values["closest to its limit"]) == (0, "act4: 9.8 %")
    assert reactions_status(computation, None).level == 0
    slack = reactions.tensions * [1.0, 0.0, 1.0]
    bad = replace(reactions, actuator_forces=np.array([-1600.0, 0.0]), tensions=slack, disagreement=1.0)
    near = copy(reactions.dynamics)
    near.__dict__["_projection"] = near._projection._replace(condition=2e3)
    bad = replace(bad, dynamics=near)
    status = reactions_status(computation, bad)
    assert status.level == 1
    for words in (
        "differ from those of virtual power by 1 N",
        "the limit of 'act5' is exceeded",
        "spring 'sr4' is slack",
        "a singular configuration is near: 5.0e-04",
    ):
        assert words in status.message
    none = Counter[str]()
    assert loads_status(0.3, 0.2, none, []).message.endswith("the last ones arrived 0.30 s ago")
    assert loads_status(None, 0.2, none, []).message.endswith("never arrived")
    assert loads_status(0.1, 0.2, none, []).level == 0
    assert loads_status(0.1, 0.2, Counter({"another robot": 3}), []).values["refused: another robot"] == "3"


@pytest.mark.parametrize(
    ("urdf", "rules", "words"),
    [
        ("charmie_torso", "", "rules_file is empty; give the path of a YAML file of rules"),
        ("charmie_torso", "nowhere.yaml", "nowhere.yaml"),
        ("charmie", str(RULES), "'charmie' has no closed loops"),
        ("crane", str(RULES), "body 'body_5' is no moving link of 'crane'"),
    ],
)
def test_rules_that_do_not_fit_are_refused(urdf, rules, words):
    robot = load_robot(ROBOTS / f"{urdf}.urdf")
    with pytest.raises(RobotError, match=words):
        ReactionComputation(robot, rules, 1e-9)
