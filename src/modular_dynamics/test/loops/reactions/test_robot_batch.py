"""Reactions of many states in one call: as those of single states, in equilibrium, as virtual power."""

import numpy as np
import pytest

import modular_dynamics as md
from benchmark.peers.mujoco_loops import MujocoLoops
from helpers.robots.charmie_torso import RULES, TORSO, motion
from modular_dynamics.loops import ReactionSharing, RobotReactions, reactions_batch, rules_from

SPREAD = np.array([0.03 if 3 <= k < 5 else 1.0 for k in range(19)])


@pytest.fixture
def torso(load_robot):
    return load_robot("charmie_torso")


def states(count, seed=0):
    return SPREAD * np.random.default_rng(seed).uniform(-1.0, 1.0, (3, count, 19))


def test_rows_are_single_states(torso):
    q, v, a = states(300)
    batch = reactions_batch(torso, RULES, q, v, a)
    assert batch.shared.all()
    robot, sharing = RobotReactions(torso, RULES), ReactionSharing(RULES)
    for k in range(0, 300, 10):
        single = sharing(robot.load_case(md.InverseDynamics(torso).solve(q[k], v[k], a[k])))
        assert [x[k] for x in batch.components.values()] == pytest.approx(
            [*single.components.values()], abs=1e-9
        )
        for joint, wrench in single.wrenches.items():
            assert batch.wrenches[joint][k] == pytest.approx(wrench, abs=1e-9)
            assert batch.points[joint][k] == pytest.approx(single.points[joint], abs=1e-12)


def test_bodies_are_in_equilibrium_and_actuators_do_the_work(torso):
    q, v, a = states(500, 1)
    batch = reactions_batch(torso, RULES, q, v, a, threads=2)
    assert max(np.abs(residual).max() for residual in batch.residual.values()) < 1e-9
    for name in TORSO:
        own = batch.dynamics.tau[:, torso.independent_joint_names.index(name)]
        assert batch.components[name, "push"] == pytest.approx(own, abs=1e-9)
    for spring, tensions in zip(torso.springs, batch.dynamics.tensions.T, strict=True):
        assert np.array_equal(batch.components[spring.name, "pull"], tensions)


def test_mujoco_has_the_same_wrench_below_body_3(torso):
    peer = MujocoLoops(torso.urdf, torso.independent_joint_names)
    times = np.linspace(0.0, 5.0, 11)
    q, v, a = (np.array(x) for x in zip(*(motion(torso, t) for t in times), strict=True))
    batch = reactions_batch(torso, RULES, q, v, a)
    for k in range(len(times)):
        peer(q[k], v[k], a[k])
        assert batch.wrenches["j3"][k] == pytest.approx(peer.reaction("body_3"), abs=1e-9)


def test_states_without_an_answer_spoil_no_other(torso):
    q, v, a = states(20)
    expected = reactions_batch(torso, RULES, q, v, a)
    q[3, 3], q[7, 0] = 5.0, np.nan
    batch = reactions_batch(torso, RULES, q, v, a)
    assert np.flatnonzero(~batch.shared).tolist() == [3, 7]
    assert batch.dynamics.reasons.keys() == {3, 7}
    for key, values in batch.components.items():
        assert np.isnan(values[[3, 7]]).all()
        assert values[batch.shared] == pytest.approx(expected.components[key][batch.shared], abs=1e-9)
    assert len(reactions_batch(torso, RULES, *np.zeros((3, 0, 19))).shared) == 0
    with pytest.raises(md.ClosureError, match="row 3: "):
        reactions_batch(torso, RULES, q, v, a, errors="raise")


def test_a_known_force_must_be_a_springs(torso):
    rules = rules_from(
        {
            "name": "one joint",
            "bodies": ["body_3"],
            "joints": {"j3": {"holds": "body_3", "by": "body_2", "transmits": ["Fx"], "at": "base_yaw"}},
            "steps": [{"body": "body_3", "known": ["j3.Fx"]}],
        }
    )
    with pytest.raises(md.StateError, match=r"known force of 'j3', which is no spring .*springs are sr4"):
        reactions_batch(torso, rules, *np.zeros((3, 1, 19)))
