"""The care robot's torso over its 5 s motion: body by body, and beside MuJoCo (`make torso-figure`)."""

import numpy as np
import pytest
import torso_figure
import yaml
from lxml import etree
from mujoco_loops import MujocoLoops
from small_torso import load, small_torso_text
from torso_curves import COMPONENTS, curves, instants, without_inertia
from torso_equilibrium import Push, out_of_balance, pushes, standing_mounts
from torso_reactions import motion_at
from tree_strategies import ROBOTS

import modular_dynamics as md
from modular_dynamics.closure.reactions import reactions
from modular_dynamics.closure.sharing import Sharing
from modular_dynamics.closure.sharing_rules import read_rules
from modular_dynamics.closure.situation import situation_of

URDF = (ROBOTS / "charmie_torso.urdf").read_text()
RULES = read_rules(ROBOTS / "charmie_torso_rules.yaml")
MOTION = yaml.safe_load((ROBOTS.parent / "config" / "charmie_torso_motion.yaml").read_text())
TIMES = instants(MOTION, 101)
EQUILIBRIUM = 1e-9  # N and N m, of forces of some 500 N
SAME = 1e-11  # N and N m between two codes: their rounding, 100 ulps of 545 N
WAYS = ("rules", "all", "cut")


@pytest.fixture(scope="module")
def mounted():
    """The robot with its fixed mounts as joints that stand still, so that 24 bodies are cut free."""
    graph = md.load_urdf(standing_mounts(URDF))
    return graph, Sharing(RULES), MujocoLoops(graph.urdf, graph.independent_joint_names)


@pytest.fixture(scope="module")
def whole():
    return curves(URDF, RULES, MOTION, TIMES)


@pytest.fixture(scope="module")
def light():
    return curves(without_inertia(URDF, "body_3"), RULES, MOTION, TIMES)


def solved(robot, time):
    """What acts on the bodies at a time; MuJoCo is brought there, too."""
    graph, sharing, peer = robot
    state = motion_at(MOTION, graph, float(time))
    dynamics = md.closed_loop_inverse_dynamics(graph, *state)
    peer(*state)
    return dynamics, pushes(graph, dynamics, sharing, peer)


def test_each_of_24_bodies_is_in_equilibrium_at_each_instant_of_the_motion(mounted):
    """Springs and actuators included; demands and points of application are MuJoCo's."""
    bodies = {link for link in mounted[0].links if link.startswith("body_")}
    assert len(bodies) == 24
    without_mass = {"act4_tube", "act4_rod", "act5_tube", "act5_rod", "srt4_block", "slt4_block"}
    worst = dict.fromkeys(WAYS, 0.0)
    for time in TIMES:
        _, acting = solved(mounted, time)
        for way in WAYS:
            left = out_of_balance(mounted[2], acting[way])
            assert set(left) == (bodies | without_mass if way == "cut" else bodies)
            worst[way] = max(worst[way], np.abs(list(left.values())).max())
    assert max(worst.values()) < EQUILIBRIUM, worst


@pytest.mark.parametrize("way", WAYS)
def test_that_check_sees_every_force_moment_and_point(mounted, way):
    _, acting = solved(mounted, 1.5)
    small = np.array([0.0, 1e-8, 0.0])
    for k, push in enumerate(acting[way]):
        for change in ((small, 0.0), (0.0, small)):
            bent = Push(push.by, push.on, push.point, push.force + change[0], push.moment + change[1])
            broken = [*acting[way][:k], bent, *acting[way][k + 1 :]]
            left = out_of_balance(mounted[2], broken)
            assert np.abs(left[push.on]).max() > 0.5e-8, push
    aside = Push(push.by, push.on, push.point + 1e-4, push.force, push.moment)
    left = out_of_balance(mounted[2], [*acting[way][:-1], aside])
    assert np.abs(left[push.on]).max() > 1e-6


def test_joints_bear_what_their_drives_give(mounted):
    """Along a joint's axis: the torque, or nothing where it is passive. MuJoCo's axes."""
    graph, _, peer = mounted
    for time in TIMES[::20]:
        dynamics, acting = solved(mounted, time)
        tau = dict(zip(graph.independent_joint_names, dynamics.tau, strict=True))
        for name, push in zip(reactions(graph, dynamics), acting["cut"], strict=True):
            if name in graph.joint_names:
                borne = push.force if graph.joint(name).type == "prismatic" else push.moment
                axis = peer.data.joint(name).xaxis
                assert borne @ axis == pytest.approx(tau.get(name, 0.0), abs=EQUILIBRIUM), name


def test_mounts_that_stand_still_change_nothing(mounted, whole):
    graph = mounted[0]
    for k in (0, 60, 150):
        tau = md.closed_loop_inverse_dynamics(graph, *motion_at(MOTION, graph, TIMES[k])).tau
        for name, found in zip(graph.independent_joint_names, tau, strict=True):
            if not name.endswith("mount"):
                assert found == pytest.approx(whole.torques[name][k], abs=SAME), name


@pytest.mark.parametrize("robot", ["whole", "light"])
def test_mujoco_has_the_same_reactions_and_actuator_forces(request, robot):
    found = request.getfixturevalue(robot)
    assert found.wrenches == pytest.approx(found.their_wrenches, abs=SAME)
    for name in ("act4", "act5"):
        assert found.torques[name] == pytest.approx(found.their_torques[name], abs=SAME)
        assert np.ptp(found.torques[name]) > 10.0
    assert len(found.torques) == 19
    for name, torque in found.torques.items():
        assert torque == pytest.approx(found.their_torques[name], abs=SAME), name


def test_mujoco_has_all_that_equilibrium_determines_within_the_torso(mounted):
    """Where self-stress has no part; the rest is a choice, of which MuJoCo's shortest solution is another."""
    graph, sharing, peer = mounted
    bodies = {"j5": "body_5", "jr4": "body_4sr", "jl4": "body_4sl", "j4": "body_4", "j3": "body_3"}
    for time in TIMES[::10]:
        dynamics, _ = solved(mounted, time)
        situation = situation_of(graph, dynamics, RULES)
        shared, stress = sharing(situation), sharing.self_stress(situation)
        apart = []
        for (name, component), free in zip(RULES.unknowns, np.abs(stress).max(axis=1), strict=True):
            if name not in bodies:
                continue
            Q = peer.rotation(RULES.joints[name].axes).T @ peer.rotation(bodies[name])
            theirs = np.concatenate([Q @ part for part in np.split(peer.reaction(bodies[name]), 2)])
            k = COMPONENTS.index(component)
            left = abs(shared.wrenches[name][k] - theirs[k])
            apart.append((free < 1e-9, left < SAME))
        assert sum(determined for determined, _ in apart) == 12  # j5 2, jr4 2, jl4 2, j3 6
        assert all(same for determined, same in apart if determined)
        assert not all(same for _, same in apart)


def test_curves_jump_at_half_time_and_nowhere_else(whole):
    steps = np.abs(np.diff(whole.wrenches, axis=0))
    half = len(TIMES) // 2
    assert (TIMES[half - 1], TIMES[half]) == (2.5, np.nextafter(2.5, 3.0))
    smooth = np.delete(steps, half - 1, axis=0).max(axis=0)
    assert (steps[half - 1] > 3.0 * smooth)[[0, 5]].all()  # Fx 3.6 N, Mz 3 N m
    assert whole.weight == pytest.approx(545.4, abs=0.05)


def test_the_inertia_of_body_3_tells_in_moments_alone(whole, light):
    """Body 3 turns about z only: I (0, 0, alpha) + omega x I (0, 0, omega), in closed form, Table 1."""
    times, unit = TIMES, 2.0 * np.pi / 9.0
    alpha = np.where(times <= 2.5, -unit, unit)
    omega = unit * np.where(times <= 2.5, -times, times - 5.0)
    xz, yz, zz = 0.003586, -0.05186, 1.61
    expected = np.stack([xz * alpha - yz * omega**2, yz * alpha + xz * omega**2, zz * alpha], axis=-1)
    assert whole.wrenches[:, 3:] - light.wrenches[:, 3:] == pytest.approx(expected, abs=SAME)
    assert whole.wrenches[:, :3] == pytest.approx(light.wrenches[:, :3], abs=SAME)


@pytest.mark.parametrize(
    ("xpath", "key", "value", "seen"),
    [
        (".//spring[@name='s5']", "stiffness", "1030", "act5"),
        (".//loop_joint[@name='act4_pin']/successor", "xyz", "0 0.0299 0.3423705", "act4"),
        (".//link[@name='body_8a']/inertial/mass", "value", "0.401", "Fz"),
    ],
)
def test_mujoco_tells_robots_apart(whole, xpath, key, value, seen):
    """Of another robot it says something else: the comparison can fail."""
    robot = etree.fromstring(URDF.encode())
    robot.find(xpath).set(key, value)
    peer = MujocoLoops(etree.tostring(robot, encoding="unicode"), list(whole.torques))
    graph = md.load_urdf(URDF)
    peer(*motion_at(MOTION, graph, TIMES[70]))
    theirs = {**dict(zip(whole.torques, peer.tau, strict=True)), "Fz": peer.reaction("body_3")[2]}
    ours = whole.wrenches[70, 2] if seen == "Fz" else whole.torques[seen][70]
    assert abs(theirs[seen] - ours) > 1e-3


@pytest.mark.parametrize("seed", range(3))
def test_at_rest_body_2_carries_the_weight_whatever_each_spring_does(seed):
    """By the rules and by MuJoCo, in the poses of the motion; any law per spring."""
    robot, rng = etree.fromstring(URDF.encode()), np.random.default_rng(seed)
    for spring in robot.iter("spring"):
        spring.set("stiffness", repr(rng.uniform(500.0, 4000.0)))
        spring.set("initial_force", repr(rng.uniform(0.0, 30.0)))
    graph = md.load_urdf(etree.tostring(robot, encoding="unicode"))
    peer, sharing = MujocoLoops(graph.urdf, graph.independent_joint_names), Sharing(RULES)
    for time in TIMES[::20]:
        q, rest = motion_at(MOTION, graph, float(time))[0], np.zeros(19)
        dynamics = md.closed_loop_inverse_dynamics(graph, q, rest, rest)
        peer(q, rest, rest)
        assert len({round(tension) for tension in dynamics.tensions.values()}) == 3
        weight = [0.0, 0.0, 55.6 * 9.81]  # 545.4 N
        shared = sharing(situation_of(graph, dynamics, RULES)).wrenches["j3"]
        assert shared[:3] == pytest.approx(weight, abs=EQUILIBRIUM)
        assert shared == pytest.approx(peer.reaction("body_3"), abs=SAME)
        assert dynamics.tau == pytest.approx(peer.tau, abs=SAME)


@pytest.mark.parametrize("robot", ["small_torso", "charmie_torso"])
def test_mujoco_agrees_at_random_states_of_two_torsos(robot):
    """Motions, torques, springs, and what crosses the lowest turning joint; one torso has odd numbers."""
    graph = load(small_torso_text() if robot == "small_torso" else URDF)
    names = graph.independent_joint_names
    peer, rng = MujocoLoops(graph.urdf, names), np.random.default_rng(5)
    spread = np.array([0.03 if name.startswith("act") else 1.0 for name in names])
    for _ in range(8):
        state = spread * rng.uniform(-1, 1, (3, len(names)))
        dynamics = md.closed_loop_inverse_dynamics(graph, *state)
        peer(*state)
        for ours, theirs in (
            (dynamics.coordinates, peer.coordinates),
            (dynamics.velocities, peer.velocities),
            (dynamics.accelerations, peer.accelerations),
        ):
            assert ours == pytest.approx([theirs[name] for name in graph.joint_names], abs=1e-12)
        assert dynamics.tau == pytest.approx(peer.tau, abs=SAME)
        assert dynamics.tensions == pytest.approx(peer.tensions, abs=SAME)
        base, R = reactions(graph, dynamics)["base_yaw"], peer.rotation("body_3")
        ours = np.concatenate([R.T @ base.force, R.T @ base.moment])
        assert ours == pytest.approx(peer.reaction("body_3"), abs=SAME)
        assert peer.residual < SAME


def test_the_command_draws_the_figure_and_prints_both_codes(monkeypatch, capsys, tmp_path):
    picture = tmp_path / "new" / "figure.png"
    monkeypatch.setattr("sys.argv", ["torso_figure.py", "--instants", "6", "--out", str(picture)])
    assert torso_figure.main() == 0
    told = capsys.readouterr().out
    assert picture.read_bytes()[:4] == b"\x89PNG"
    for part in (*COMPONENTS, "act4", "act5", "24 bodies", str(picture)):
        assert part in told


def test_mujoco_is_not_asked_for_what_it_does_not_have_here():
    for old, new in (
        ('<loop_joint name="srt4" type="revolute">', '<loop_joint name="srt4" type="fixed">'),
        ('initial_force="15.1"', 'initial_force="151"'),
    ):
        assert old in URDF
        with pytest.raises(ValueError, match=r"loop joint 'srt4'|spring 's5'"):
            MujocoLoops(URDF.replace(old, new), ["act4"])
