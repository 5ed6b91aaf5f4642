"""Load case and sharing in one compiled call: the same as one after the other."""

import re

import numpy as np
import pytest
import yaml

import modular_dynamics as md
from helpers.paths import ROBOTS
from helpers.robots.small_torso import load, small_torso_text
from modular_dynamics.loops import RobotReactions, read_rules, rules_from

RULES = ROBOTS / "charmie_torso_rules.yaml"
CONTENT = RULES.read_text()


@pytest.fixture(scope="module")
def torso():
    return load(ROBOTS / "charmie_torso.urdf")


def state(torso, seed):
    motion = 0.02 * np.random.default_rng(seed).normal(size=(3, len(torso.independent_joint_names)))
    return md.InverseDynamics(torso).solve(*motion)


def test_points_by_coordinates_and_unequal_shares(torso):
    rules = yaml.safe_load(CONTENT)
    rules["joints"]["act4"] |= {"from": [0.05, 0.02, 0.1], "at": [0.05, 0.02, 0.4]}
    equal = next(step for step in rules["steps"] if step.get("takes") == ["j5.Fx", "act5.Fx"])
    equal["takes"] = {"j5.Fx": 3.0, "act5.Fx": 0.5}
    rules, dynamics = rules_from(rules), state(torso, 7)
    robot = RobotReactions(torso, rules)
    reactions = robot(dynamics)
    components = reactions.by_name(rules).components
    assert components["j5", "Fx"] == pytest.approx(6.0 * components["act5", "Fx"], rel=1e-12)
    assert np.abs(reactions.residual).max() < 1e-12 * np.abs(reactions.components).max()
    assert np.array_equal(reactions.poses, md.frame_poses(torso.tree, dynamics.coordinates))
    at = list(rules.joints).index("act4")
    pose = reactions.poses[torso.links.index("body_4")]
    assert reactions.points[at, 1] == pytest.approx(pose[:3, :3] @ [0.05, 0.02, 0.4] + pose[:3, 3], abs=1e-15)


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda rules: rules["steps"].insert(0, rules["steps"].pop(2)), "step 1 .*contains s5.pull"),
        (lambda rules: rules["joints"]["act5"].update({"from": "act5_pin"}), "'from' and 'at' coincide"),
        (
            lambda rules: rules["steps"][1].update(balance="Mx about act5"),
            "step 2 .*contains j5.Fy, j5.Fz, which no step before it gives",
        ),
        (
            lambda rules: rules["steps"][4].update(takes={"j5.Fx": 1.0, "act5.Fx": -1.0}),
            "step 5 .*no lever arm in this balance",
        ),
        (lambda rules: rules["joints"]["act5"].update(axes="nowhere"), "'act5': .* has no link 'nowhere'"),
        (
            lambda rules: (
                rules["joints"].update(s6=dict(rules["joints"]["s5"])),
                rules["steps"].append({"body": "body_5", "known": ["s6.pull"]}),
            ),
            "known force of 's6', which is no spring .*; springs are sr4, sl4, s5",
        ),
    ],
)
def test_what_is_wrong_is_named(torso, edit, words):
    content = yaml.safe_load(CONTENT)
    edit(content)
    with pytest.raises(md.StateError, match=words):
        RobotReactions(torso, rules_from(content))(state(torso, 0))


# Required wrenches of the bodies of a robot, and rules that do not fit it.


@pytest.fixture(scope="module")
def charmie(torso):
    return torso, state(torso, 5), read_rules(RULES)


def test_connection_wrenches_from_elsewhere_take_the_place_of_the_computed_ones(charmie):
    graph, d, rules = charmie
    arms, robot = ("left_arm", "right_arm"), RobotReactions(graph, rules)
    indices = [k for k, subsystem in enumerate(graph.subsystems) if subsystem.name in arms]
    given = {graph.subsystems[k].name: d.tree.connection_wrench_in_link(k) for k in indices}
    computed, same = robot(d), robot(d, given)
    assert np.allclose(same.components, computed.components, rtol=0, atol=1e-10)
    link, wrench = given["left_arm"]
    R, o = computed.poses[graph.links.index(link), :3, :3], computed.poses[graph.links.index(link), :3, 3]
    payload = 20.0 * R.T @ [0.0, 0.0, 1.0]  # 20 N of weight at the first joint
    more = robot(d, {"left_arm": (link, wrench + np.array([*payload, 0.0, 0.0, 0.0]))})
    assert np.abs(more.residual).max() < 1e-11
    apart = more.by_name(rules).wrenches["j3"] - computed.by_name(rules).wrenches["j3"]
    pose, lifted = computed.poses[graph.links.index("body_3")], np.array([0.0, 0.0, 20.0])
    expected = [pose[:3, :3].T @ lifted, pose[:3, :3].T @ np.cross(o - pose[:3, 3], lifted)]
    assert np.allclose(apart, np.concatenate(expected), rtol=0, atol=1e-11)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"leg": ("body_7a", np.zeros(6))}, "has no subsystem 'leg'; it has .*torso"),
        ({"head": ("hat", np.zeros(6))}, "of 'head': .* has no link 'hat'"),
        ({"torso": ("body_4", np.zeros(6))}, "'torso': it belongs to the mechanism .* itself"),
        ({"head": ("body_7c", np.zeros(3))}, "of 'head' is .* six finite numbers"),
    ],
)
def test_connection_wrenches_that_make_no_sense_are_refused(charmie, given, message):
    graph, d, rules = charmie
    with pytest.raises(md.StateError, match=message):
        RobotReactions(graph, rules)(d, given)


CRANE = """
name: a crane
bodies: [jib, boom, column]
joints:
  jib_cylinder: {holds: jib, by: boom, transmits: [push], from: jib_tube_hinge, at: jib_pin}
  jib_hinge: {holds: jib, by: boom, transmits: [Fx, Fy, Fz, Mx, My], at: jib_hinge}
  lift_cylinder: {holds: boom, by: column, transmits: [push], from: lift_tube_hinge, at: lift_pin}
  boom_hinge: {holds: boom, by: column, transmits: [Fx, Fy, Fz, Mx, My], at: boom_hinge}
  slew: {holds: column, by: ground, transmits: [Fx, Fy, Fz, Mx, My, Mz], at: slew}
steps:
  - {body: jib, balance: Mz about jib_hinge, takes: jib_cylinder.push}
  - {body: jib, rest: jib_hinge}
  - {body: boom, balance: Mz about boom_hinge, takes: lift_cylinder.push}
  - {body: boom, rest: boom_hinge}
  - {body: column, rest: slew}
"""


def test_cylinders_that_are_subsystems_of_their_own_are_no_loads():
    text = (ROBOTS / "crane.urdf").read_text()
    for rod in ("lift_tube", "lift_rod", "jib_tube", "jib_rod"):  # rules know no rods with mass
        text = re.sub(rf'(<link name="{rod}">\s*)<inertial>.*?</inertial>', r"\1", text, flags=re.DOTALL)
    graph, rules = load(text), rules_from(yaml.safe_load(CRANE))
    robot = RobotReactions(graph, rules)
    assert robot.carried_subsystems == ()  # their wrenches are the cylinders' forces
    state = [0.4, 0.3, 0.2], [0.2, 0.1, -0.1], [0.3, 0.2, 0.1]
    dynamics = md.InverseDynamics(graph).solve(
        *state, guess=None, external_wrenches={"jib": [1.0, 2.0, 3.0, 0.1, 0.2, 0.3]}
    )
    shared = robot(dynamics).by_name(rules)
    forces = [shared.components[name, "push"] for name in ("lift_cylinder", "jib_cylinder")]
    assert np.allclose(forces, dynamics.tau[1:], rtol=1e-12, atol=0)
    with pytest.raises(md.StateError, match="'lift': it belongs to the mechanism 'a crane' itself"):
        robot(dynamics, {"lift": ("lift_tube", np.zeros(6))})


def test_a_rod_that_has_mass_is_refused():
    text = small_torso_text().replace(
        '<link name="act5_rod"/>',
        '<link name="act5_rod"><inertial><mass value="0.1"/>'
        '<inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>',
    )
    graph = load(text)
    with pytest.raises(md.UnsupportedModelError, match="link 'act5_rod' between its bodies has mass"):
        RobotReactions(graph, read_rules(RULES))


@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        ("at: torso_pitch", "at: hip", "joint 'j5': no joint, loop joint or spring 'hip'"),
        ("by: body_2", "by: body_4", "'j3': by is 'body_4', but 'base_yaw' connects 'body_3' to none of"),
        (
            "j5: {holds: body_5, by: body_4",
            "j5: {holds: body_5, by: body_3",
            "'j5': .* connects 'body_5' to 'body_4'",
        ),
    ],
)
def test_a_name_that_the_robot_does_not_have_is_refused(tmp_path, right, wrong, words):
    path = tmp_path / "rules.yaml"
    path.write_text(RULES.read_text().replace(right, wrong))
    graph = load(small_torso_text())
    with pytest.raises(md.StateError, match=words):
        RobotReactions(graph, read_rules(path))
