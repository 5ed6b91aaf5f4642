"""Required wrenches of the bodies of a robot, and rules that do not fit it."""

import re

import numpy as np
import pytest
import yaml

import modular_dynamics as md
from helpers.oracles.rigid_bodies import MovingBodies
from helpers.paths import ROBOTS
from helpers.robots.small_torso import load, small_torso_text
from modular_dynamics.algebra import adjoint
from modular_dynamics.loops import ReactionSharing, RobotReactions, load_case_of, read_rules, rules_from

RULES = ROBOTS / "charmie_torso_rules.yaml"


def test_rules_of_another_robot_are_refused(load_robot):
    graph = load_robot("four_bar")
    with pytest.raises(md.StateError, match="body 'body_5' is no moving link of 'four_bar'"):
        load_case_of(graph, at_rest(graph), read_rules(RULES))


def at_rest(graph):
    rest = np.zeros(len(graph.independent_joint_names))
    return md.InverseDynamics(graph).solve(rest, rest, rest)


@pytest.fixture(scope="module")
def charmie():
    graph = load(ROBOTS / "charmie_torso.urdf")
    rng, n = np.random.default_rng(5), len(graph.independent_joint_names)
    return graph, md.InverseDynamics(graph).solve(*(0.02 * rng.normal(size=(3, n)))), read_rules(RULES)


def test_a_required_wrench_is_the_body_s_own_and_the_composition_s_connection_wrenches(charmie):
    graph, d, rules = charmie
    oracle = MovingBodies(graph, d.coordinates, d.velocities, d.accelerations)
    composition = md.compose(graph.tree, d.coordinates, d.velocities, d.accelerations)
    required = load_case_of(graph, d, rules).required_wrenches["body_5"]
    R, o = oracle.frame("body_5")
    mass, com, rise, turn = oracle.inertial_terms("body_5")
    needed = np.concatenate([R.T @ (mass * rise), R.T @ (turn + np.cross(com - o, mass * rise))])
    for subsystem, zeta in zip(graph.subsystems, composition.connection_wrenches, strict=True):
        if subsystem.name in ("left_arm", "right_arm", "head"):
            needed += adjoint(subsystem.connection.x_body_connection, zeta).vec6()
    assert np.allclose(required, needed, rtol=0, atol=1e-12)


def test_connection_wrenches_from_elsewhere_take_the_place_of_the_computed_ones(charmie):
    graph, d, rules = charmie
    arms = [k for k, subsystem in enumerate(graph.subsystems) if "arm" in subsystem.name]
    given = {graph.subsystems[k].name: d.tree.connection_wrench_in_link(k) for k in arms}
    computed, same = load_case_of(graph, d, rules), load_case_of(graph, d, rules, given)
    for body in rules.bodies:
        assert np.allclose(same.required_wrenches[body], computed.required_wrenches[body], rtol=0, atol=1e-12)
    link, wrench = given["left_arm"]
    R, o = (np.asarray(table[link]) for table in (computed.rotations, computed.origins))
    payload = 20.0 * R.T @ [0.0, 0.0, 1.0]  # 20 N of weight at the first joint
    more = load_case_of(graph, d, rules, {"left_arm": (link, wrench + np.array([*payload, 0.0, 0.0, 0.0]))})
    sharing = ReactionSharing(rules)
    before, after = sharing(computed), sharing(more)
    assert max(np.abs(left).max() for left in after.residual.values()) < 1e-11
    apart = after.wrenches["j3"] - before.wrenches["j3"]
    Q, p = (np.asarray(table["body_3"]) for table in (computed.rotations, computed.origins))
    lifted = np.array([0.0, 0.0, 20.0])
    expected = [*(Q.T @ lifted), *(Q.T @ np.cross(o - p, lifted))]
    assert np.allclose(apart, expected, rtol=0, atol=1e-11)


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
        load_case_of(graph, d, rules, given)


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
    shared = ReactionSharing(rules)(robot.load_case(dynamics))
    forces = [shared.components[name, "push"] for name in ("lift_cylinder", "jib_cylinder")]
    assert np.allclose(forces, dynamics.tau[1:], rtol=1e-12, atol=0)
    with pytest.raises(md.StateError, match="'lift': it belongs to the mechanism 'a crane' itself"):
        robot.load_case(dynamics, {"lift": ("lift_tube", np.zeros(6))})


def test_a_rod_that_has_mass_is_refused():
    text = small_torso_text().replace(
        '<link name="act5_rod"/>',
        '<link name="act5_rod"><inertial><mass value="0.1"/>'
        '<inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>',
    )
    graph = load(text)
    with pytest.raises(md.UnsupportedModelError, match="link 'act5_rod' between its bodies has mass"):
        load_case_of(graph, at_rest(graph), read_rules(RULES))


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
        (
            "j5: {holds: body_5, by: body_4",
            "j5: {holds: body_5, by: bodi_4",
            "'j5': .* connects 'body_5' to 'body_4'",
        ),
    ],
)
def test_a_name_that_the_robot_does_not_have_is_refused(tmp_path, right, wrong, words):
    path = tmp_path / "rules.yaml"
    path.write_text(RULES.read_text().replace(right, wrong))
    graph = load(small_torso_text())
    with pytest.raises(md.StateError, match=words):
        load_case_of(graph, at_rest(graph), read_rules(path))
