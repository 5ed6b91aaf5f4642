"""urdf/charmie_torso.urdf: inventory, plane geometry of its table, forces against tree model and energy."""

import re

import numpy as np
import pytest
import yaml

import modular_dynamics as md
from helpers.oracles.motions import rate
from helpers.oracles.rigid_bodies import MovingBodies
from helpers.paths import ROBOTS
from helpers.processes import generate_from
from helpers.robots.charmie_torso import TIMES, TORSO, lengths, motion, of, strokes
from helpers.robots.small_torso import load, small_torso_text
from modular_dynamics.algebra import to_rotation_translation
from modular_dynamics.loops import RobotReactions, read_rules
from papers.charmie_torso.reactions import wrenches_of

PARAMETERS = ROBOTS / "generators" / "charmie_torso_parameters.yaml"


@pytest.fixture(scope="module")
def graph(load_robot):
    return load_robot("charmie_torso", strict=True)


@pytest.fixture(scope="module")
def tree(load_robot):
    return load_robot("charmie")


@pytest.mark.parametrize(
    ("section", "entry", "key", "value", "message"),
    [
        ("lever", None, "pin_arm", 0.01, "pin_arm 0.01 m does not reach the slot"),
        ("actuators", "act5", "angle", 20.0, "act5 passes a singular configuration between the limits of"),
    ],
)
def test_a_torso_that_does_not_work_is_refused(tmp_path, section, entry, key, value, message):
    other = yaml.safe_load(PARAMETERS.read_text())
    (other[section] if entry is None else other[section][entry])[key] = value
    result = generate_from(other, "charmie_torso", "--parameters", tmp_path)
    assert result.returncode != 0
    assert message in result.stderr
    assert not (tmp_path / "charmie_torso.urdf").exists()


def test_inventory(graph):
    """24 bodies, 19 degrees of freedom; 31 pairs of which 7 slide, 24 turn; six spring eyes."""
    bodies = [link for link in graph.links if link.startswith("body_")]
    assert len(bodies) == 24
    without_mass = {"act4_tube", "act4_rod", "act5_tube", "act5_rod", "srt4_block", "slt4_block"}
    assert set(graph.links) - set(bodies) == {"world"} | without_mass
    sliding = {j.name for j in graph.joints if j.type is md.JointType.PRISMATIC}
    assert sliding == {"base_x", "base_y", "torso_lift", "act4", "act5", "srt4_slide", "slt4_slide"}
    assert [loop.type for loop in graph.loop_joints] == ["revolute"] * 4
    pairs = len(graph.joints) + len(graph.loop_joints)
    assert pairs == 31
    assert len(graph.independent_joint_names) == pairs - 3 * len(graph.loop_joints) == 19  # loops are plane
    assert [spring.name for spring in graph.springs] == ["sr4", "sl4", "s5"]
    names = [subsystem.name for subsystem in graph.subsystems]
    assert names == ["base", "torso", "left_arm", "right_arm", "head"]


def test_springs_are_the_papers(graph):
    laws = [(s.free_length, s.stiffness, s.initial_force, s.damping) for s in graph.springs]
    assert laws == [(0.1055, 1380, 27.1, 0)] * 2 + [(0.077, 1029, 15.1, 0)]


def test_everything_outside_the_torso_is_that_of_the_tree_model(graph, tree):
    inertial = r"<link name=\"(body_\w+)\">\s*(<inertial>.*?</inertial>)?"
    assert re.findall(inertial, graph.urdf, re.DOTALL) == re.findall(inertial, tree.urdf, re.DOTALL)
    joint = r"(<joint name=\"(\w+)\" type=.*?</joint>)"
    ours = {name: text for text, name in re.findall(joint, graph.urdf, re.DOTALL)}
    theirs = {name: text for text, name in re.findall(joint, tree.urdf, re.DOTALL)}
    del theirs["spring_pivot_r"], theirs["spring_pivot_l"]
    squeezed = {name: re.sub(r"\s+/>", "/>", ours[name]) for name in theirs}
    assert squeezed == theirs
    assert sum(body.mass for body in graph.bodies) + graph.ground.mass == pytest.approx(55.6, abs=1e-12)


def test_actuators_measure_480_and_400_mm_at_the_zero_pose(graph):
    coordinates = md.close_loops(graph, np.zeros(19))
    assert coordinates == pytest.approx(np.zeros(27), abs=1e-12)
    cuts = {loop.name: loop for loop in graph.loop_joints}
    for name, length in (("act4", 0.480), ("act5", 0.400)):
        upper = cuts[f"{name}_pin"].successor
        ends = [
            md.frame_pose(graph, coordinates, f"{name}_tube"),
            md.frame_pose(graph, coordinates, upper.link) * upper.x_link_anchor,
        ]
        lower, high = (to_rotation_translation(pose)[1] for pose in ends)
        assert np.linalg.norm(high - lower) == pytest.approx(length, abs=1e-14)
    assert lengths(0.0, 0.0)[:2] == pytest.approx([0.480, 0.400], abs=1e-14)


def test_loops_close_over_the_full_strokes(graph):
    """On the branch of the zero pose, within the limits; the lengths are those of plane geometry."""
    reached = []
    for q in strokes(graph, 15):
        coordinates = dict(zip(graph.joint_names, md.close_loops(graph, q), strict=True))
        lift, pitch = coordinates["torso_lift"], coordinates["torso_pitch"]
        expected = [0.48 + coordinates["act4"], 0.4 + coordinates["act5"]]
        assert lengths(lift, pitch)[:2] == pytest.approx(expected, abs=1e-12)
        for name in graph.passive_joints:
            limits = graph.joint(name).limits
            assert limits.lower <= coordinates[name] <= limits.upper, (name, coordinates[name])
        reached.append((lift, pitch))
    low, high = np.min(reached, axis=0), np.max(reached, axis=0)
    assert high[0] - low[0] == pytest.approx(0.14, abs=5e-5)  # strokes are given to 0.01 mm
    assert low[0] == pytest.approx(-0.05, abs=2e-5)
    assert (low[1], high[1]) == pytest.approx((-0.35, 1.22173), abs=3e-4)


def test_no_singular_configuration_and_springs_that_pull_over_the_full_strokes(graph):
    independent = graph.independent_joint_names
    lift, pitch = rows = [graph.v_slice(name).start for name in ("torso_lift", "torso_pitch")]
    for q in strokes(graph, 15):
        W = md.explicit_constraint_jacobian(graph, q)
        ratios = W[rows][:, [independent.index(name) for name in TORSO]]
        assert ratios[0, 1] == pytest.approx(0.0, abs=1e-12)
        assert 1.0 / ratios[0, 0] > 0.99  # act4 on the slide
        assert ratios[1, 0] == pytest.approx(0.0, abs=1e-12)
        assert 0.06 < 1.0 / ratios[1, 1] < 0.11  # lever arm of act5 about j5 [m]
        result = md.InverseDynamics(graph).solve(q, np.zeros(19), np.zeros(19))
        assert result.condition < 30.0
        assert (result.rank, result.redundant) == (8, 12)
        _, _, s4, s5 = lengths(result.coordinates[lift], result.coordinates[pitch])
        assert s4 > 0.1055  # longer than free
        assert s5 > 0.077
        expected = {"sr4": 27.1 + 1380 * (s4 - 0.1055), "s5": 15.1 + 1029 * (s5 - 0.077)}
        expected["sl4"] = expected["sr4"]
        assert result.tensions == pytest.approx(expected, abs=1e-8)


def tree_state(graph, tree, result):
    """The same state in the tree model's coordinates: loops leave torso_lift and torso_pitch."""
    rows = [graph.q_slice(name).start for name in tree.joint_names]
    return result.coordinates[rows], result.velocities[rows], result.accelerations[rows]


def test_torques_of_base_arms_and_head_are_those_of_the_tree_model(graph, tree):
    for t in TIMES:
        result = md.InverseDynamics(graph).solve(*motion(graph, t))
        torques = md.inverse_dynamics(tree, *tree_state(graph, tree, result))
        expected = dict(zip(tree.joint_names, torques, strict=True))
        for name, torque in zip(graph.independent_joint_names, result.tau, strict=True):
            if name not in TORSO:
                assert torque == pytest.approx(expected[name], abs=1e-9), (t, name)


def test_actuators_carry_the_trees_torso_and_the_springs_over_their_levers(graph, tree):
    """tau_act dL_act/dq = tau_tree + F dL_spring/dq, for they have no mass."""
    for t in TIMES[::5]:
        result = md.InverseDynamics(graph).solve(*motion(graph, t))
        q, v, a = tree_state(graph, tree, result)
        at = [tree.q_slice(name).start for name in ("torso_lift", "torso_pitch")]
        forces = np.array([of(graph, name, result.tau) for name in TORSO])
        pulls = np.array([2 * result.tensions["sr4"], result.tensions["s5"]])
        moves = np.empty((4, 2))
        for k, unit in enumerate(np.eye(2)):
            moves[:, k] = rate(lambda s, unit=unit, torso=q[at]: lengths(*(torso + s * unit)), 1e-3)
        expected = md.inverse_dynamics(tree, q, v, a)[at] + moves[2:].T @ pulls
        assert moves[:2].T @ forces == pytest.approx(expected, abs=1e-8)


# The care robot's torso by the paper's rules: equilibrium, the printed equations, the null space.

RULES = ROBOTS / "charmie_torso_rules.yaml"
TIGHT = 1e-9  # N and N m, of forces of some 100 N


class Case:
    """One instant of a torso."""

    def __init__(self, graph, seed):
        rng = np.random.default_rng(seed)
        n = len(graph.independent_joint_names)
        spread = np.array([0.03 if name.startswith("act") else 1.0 for name in graph.independent_joint_names])
        q, v, a = spread * rng.uniform(-1, 1, (3, n))
        self.graph = graph
        self.dynamics = md.InverseDynamics(graph).solve(q, v, a)
        self.rules = read_rules(RULES)
        self.sharing = RobotReactions(graph, self.rules)
        self.shared = self.sharing(self.dynamics).by_name(self.rules)
        self.least = self.sharing.least_norm(self.dynamics).by_name(self.rules)
        d = self.dynamics
        self.oracle = MovingBodies(graph, d.coordinates, d.velocities, d.accelerations)
        self.general = wrenches_of(self.sharing, d, self.sharing(d))
        self.tau = dict(zip(graph.independent_joint_names, d.tau, strict=True))

    def in_root_axes(self, wrenches, name):
        """Force and moment of a rule's joint, and its point as the oracle sees it."""
        joint = self.rules.joints[name]
        R, _ = self.oracle.frame(joint.axes)
        return R @ wrenches[name][:3], R @ wrenches[name][3:], self.oracle.point(joint.at, joint.on)


@pytest.fixture(scope="module", params=["small_torso", "charmie_torso"])
def cases(request):
    robot = request.param
    graph = load(small_torso_text() if robot == "small_torso" else ROBOTS / f"{robot}.urdf")
    return [Case(graph, seed) for seed in range(4)]


def out_of_balance(case, wrenches, body):
    """Newton's and Euler's laws of a body with what hangs on it: what is missing [N], [N m]."""
    bodies = case.rules.bodies
    about = case.oracle.frame(body)[1]
    force, moment = case.oracle.inertial_wrench(body, bodies, about)
    for name, joint in case.rules.joints.items():
        if body not in (joint.on, joint.by):
            continue
        f, m, point = case.in_root_axes(wrenches, name)
        sign = 1.0 if body == joint.on else -1.0
        force, moment = force - sign * f, moment - sign * (m + np.cross(point - about, f))
    return np.abs([force, moment]).max()


@pytest.mark.parametrize("how", ["rules", "least norm", "closure module"])
def test_every_body_is_in_equilibrium_by_another_code(cases, how):
    for case in cases:
        least = case.least.wrenches
        wrenches = {"rules": case.shared.wrenches, "least norm": least, "closure module": case.general}[how]
        for body in case.rules.bodies:
            assert out_of_balance(case, wrenches, body) < TIGHT, body
    broken = {**cases[0].shared.wrenches, "j4": cases[0].shared.wrenches["j4"] + 1e-6}
    assert out_of_balance(cases[0], broken, "body_4") > 1e-7  # the check can fail


def test_actuators_springs_and_the_base_are_those_of_the_closure_module(cases):
    for case in cases:
        for name in ("act4", "act5"):
            assert case.shared.components[name, "push"] == pytest.approx(case.tau[name], abs=TIGHT)
        for name, tension in case.dynamics.tensions.items():
            assert case.shared.components[name, "pull"] == tension
        assert np.allclose(case.shared.wrenches["j3"], case.general["j3"], rtol=0, atol=TIGHT)


def test_rules_and_closure_module_differ_by_a_self_stress(cases):
    """J^T (lambda_rules - lambda) = 0: at no joint, passive or not, does the difference do anything."""
    cuts = {"act4": "act4_rod", "act5": "act5_rod", "srt4": "body_4sr", "slt4": "body_4sl"}
    for case in cases:
        apart = {name: w - case.general[name] for name, w in case.shared.wrenches.items()}
        tau, size = np.zeros(case.graph.nv), 0.0
        for name, predecessor in cuts.items():
            force, moment, point = case.in_root_axes(apart, name)
            tau += case.oracle.generalised(case.rules.joints[name].on, force, moment, point)
            tau -= case.oracle.generalised(predecessor, force, moment, point)
            size = max(size, np.abs([force, moment]).max())
        assert size > 1e-2  # they do differ
        assert np.abs(tau).max() < TIGHT


def test_rules_and_least_norm_differ_within_the_null_space(cases):
    for case in cases:
        stress = case.sharing.self_stress(case.dynamics)
        assert stress.shape[1] == case.dynamics.redundant
        x, y = (np.array(list(one.components.values())) for one in (case.shared, case.least))
        assert np.abs((x - y) - stress @ (stress.T @ (x - y))).max() < TIGHT
        assert np.abs(stress.T @ y).max() < TIGHT  # that is what makes it the shortest
        assert y @ y < x @ x
