"""States and torques between MuJoCo's order and the graph's."""

import mujoco
import numpy as np
import pytest

import modular_dynamics as md
from helpers.robots.mjcf_text import random_tree, two_arms
from modular_dynamics.mjcf import from_mujoco, to_mujoco, torques_from_mujoco
from modular_dynamics.mjcf.source import compiled

STEP = 1e-6  # [s]


@pytest.fixture
def free():
    """A model with free bodies, its graph, and a state of it."""
    model = random_tree(3, free=True).compile()
    rng = np.random.default_rng(0)
    return md.load_mjcf(model), model, (rng.normal(size=model.nq), *rng.normal(size=(2, model.nv)))


def test_there_and_back_is_the_same(free):
    graph, model, (qpos, *rates) = free
    qpos[3:7] /= np.linalg.norm(qpos[3:7])  # to_mujoco returns unit quaternions
    state = qpos, *rates
    back = to_mujoco(graph, model, *from_mujoco(graph, model, *state))
    for theirs, again in zip(state, back, strict=True):
        np.testing.assert_allclose(again, theirs, atol=1e-14)


def test_rows_are_states(free):
    graph, model, state = free
    single = from_mujoco(graph, model, *state)
    for own, rows in zip(
        single, from_mujoco(graph, model, *(np.tile(x, (2, 1)) for x in state)), strict=True
    ):
        np.testing.assert_array_equal(rows, [own, own])
    assert not from_mujoco(graph, model, np.tile(state[0], (2, 1))).v.any()


def test_velocities_are_those_of_the_bodies(free):
    """The body's velocity in its own axes, by MuJoCo, is ours, through the whole tree."""
    graph, model, (qpos, qvel, _) = free
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = qpos, qvel
    mujoco.mj_forward(model, data)
    q, v, _ = from_mujoco(graph, model, qpos, qvel)
    for k in range(1, model.nbody):
        theirs = np.empty(6)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, k, theirs, 1)
        ours = md.jacobian(graph, q, model.body(k).name, "link") @ v
        np.testing.assert_allclose(ours, [*theirs[3:], *theirs[:3]], atol=1e-12)


def test_accelerations_are_derivatives_of_velocities(free):
    """Of a free joint, too, whose velocity is in axes that turn."""
    graph, model, (qpos, qvel, qacc) = free

    def velocity(time):
        moved = qpos.copy()
        mujoco.mj_integratePos(model, moved, qvel + 0.5 * time * qacc, time)
        return from_mujoco(graph, model, moved, qvel + time * qacc).v

    a = (velocity(STEP) - velocity(-STEP)) / (2.0 * STEP)
    np.testing.assert_allclose(from_mujoco(graph, model, qpos, qvel, qacc).a, a, atol=1e-8)


def test_torques_have_the_same_power(free):
    graph, model, (qpos, qvel, forces) = free
    tau = torques_from_mujoco(graph, model, qpos, forces)
    np.testing.assert_allclose(tau @ from_mujoco(graph, model, qpos, qvel).v, forces @ qvel, rtol=1e-12)


def test_order_follows_the_names_of_joints():
    model = compiled(two_arms()).model
    graph = md.load_mjcf(model, {"version": 1, "subsystems": [{"name": "s", "joints": ["b"]}]})
    assert graph.joint_names == ("b", "a", "c")
    np.testing.assert_array_equal(from_mujoco(graph, model, [1.0, 2.0, 3.0]).q, [3.0, 1.0, 2.0])
    np.testing.assert_array_equal(to_mujoco(graph, model, [3.0, 1.0, 2.0]).q, [1.0, 2.0, 3.0])


def test_another_model_and_wrong_shapes_are_refused(free):
    graph, model, (qpos, qvel, _) = free
    with pytest.raises(md.StateError, match=f"have shape .*; \\({model.nv},\\) or rows of it are needed"):
        from_mujoco(graph, model, qpos, qvel[1:])
    with pytest.raises(md.StateError, match="MuJoCo's model has no joint 'a'; was 'two arms' loaded from it"):
        from_mujoco(md.load_mjcf(two_arms()), model, qpos)


def test_what_is_no_state_gives_no_number(free):
    graph, model, (qpos, qvel, _) = free
    bad = qvel.copy()
    bad[2] = np.nan
    with pytest.raises(md.StateError, match="velocities: those of joint 'free0' are not finite"):
        from_mujoco(graph, model, qpos, bad)
    with pytest.raises(md.StateError, match="torques: those of joint 'free0' are not finite"):
        torques_from_mujoco(graph, model, qpos, bad)
    with pytest.raises(md.StateError, match=r"are not an array of numbers: .*inhomogeneous"):
        from_mujoco(graph, model, qpos, qvel, [[1.0], [1.0, 2.0]])
    with pytest.raises(md.StateError, match="positions are not an array of numbers"):
        from_mujoco(graph, model, ["1"] * model.nq)
    with pytest.raises(md.StateError, match=r"v\[2\] of joint '.*' is nan"):
        to_mujoco(graph, model, graph.neutral(), bad)
    for convert in (
        lambda q: from_mujoco(graph, model, q),
        lambda q: torques_from_mujoco(graph, model, q, qvel),
    ):
        with pytest.raises(md.StateError, match="of joint 'free0' is a zero quaternion"):
            convert(np.zeros(model.nq))
    with pytest.raises(md.StateError, match="is a zero quaternion"):
        to_mujoco(graph, model, np.zeros(graph.nq))
