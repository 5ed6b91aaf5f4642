"""dynamics_node: states that cannot be answered are named, and answered by nothing."""

import time

import numpy as np
import pytest

import modular_dynamics as md
from helpers.nodes.dynamics_harness import NAMES, Q, V, expected
from modular_dynamics_ros.node.robot_node import SUCCESS

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]


BAD = {
    "nan": ({"q": [0.1, float("nan"), 0.1, 0.1]}, "position of 'bend' is NaN or infinite"),
    "infinite velocity": ({"v": [0.1, 0.1, float("inf"), 0.1]}, "velocity of 'left' is infinite"),
    "missing joint": ({"names": NAMES[:3], "q": Q[:3], "v": V[:3]}, "no position for 'right'"),
    "short positions": ({"q": Q[:3]}, "position has 3 values for 4 joint names"),
    "long velocities": ({"v": [*V, 0.0]}, "velocity has 5 values for 4 joint names"),
    "long efforts": ({"effort": [0.0] * 5}, "effort has 5 values for 4 joint names"),
    "duplicate": ({"names": [*NAMES, "turn"], "q": [*Q, 0.0], "v": [*V, 0.0]}, "'turn' named more than once"),
    "empty": ({"names": [], "q": [], "v": []}, "no position for 'turn'"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_state_is_named_once_not_answered_and_the_next_good_one_is(active, four_link, capfd, name):
    message, words = BAD[name]
    capfd.readouterr()
    stamps = [active.send(**message) for _ in range(20)]
    good = active.answer()  # answers keep the order of the states: nothing before it is still to come
    assert good.effort.tolist() == expected(four_link).tolist()
    assert all(active.torque_of(stamp) is None for stamp in stamps)
    log = capfd.readouterr().err
    assert log.count(words) == 1
    assert sum(active.node.session.input.counts.rejected.values()) == 20


def test_another_offender_of_the_same_kind_is_named_too(active, capfd):
    capfd.readouterr()
    for k in range(20):
        active.send(q=[np.nan if joint == k % 2 else 0.1 for joint in range(4)])
    active.answer()
    log = capfd.readouterr().err
    assert log.count("position of 'turn' is NaN") == log.count("position of 'bend' is NaN") == 1


def test_an_overflow_is_never_published(make):
    harness = make(stale_after=0.1, on_stale="ramp_to_zero", ramp_time=1.0)
    harness.activate()
    good = harness.answer()
    for _ in range(3):
        harness.send(v=[1e200] * 4)
    rejected = harness.node.session.input.counts.rejected
    harness.spin_until(lambda: rejected["not finite"] == 3)
    harness.spin_until(lambda: harness.efforts[-1].data.tolist() == [0.0] * 4)  # the ramp is over
    ramp = np.array([message.effort for message in harness.torques[harness.torques.index(good) :]])
    assert len(ramp) > 3
    assert np.isfinite(ramp).all()
    assert all(np.isfinite(message.data).all() for message in harness.efforts)
    assert ramp[1:-1] == pytest.approx(np.outer(ramp[1:-1, 0] / ramp[0, 0], ramp[0]), abs=1e-12)


def test_while_the_filter_starts_nothing_is_answered_and_that_is_said_once(make, capfd):
    harness = make(acceleration_source="filtered")
    harness.activate()
    now = time.time_ns()
    stamps = [harness.send(stamp=now + k * 2_000_000) for k in range(10)]
    harness.spin_until(lambda: harness.torque_of(stamps[-1]) is not None)
    assert [harness.torque_of(stamp) is not None for stamp in stamps] == [False] * 5 + [True] * 5
    assert harness.node.session.input.counts.rejected == {"filter starts": 5}
    assert capfd.readouterr().err.count("the filter starts") == 1


def test_a_failing_comparison_ends_neither_the_node_nor_the_answer(make, four_link, capfd):
    harness = make(crosscheck_rate=1000.0, stale_after=60.0)
    harness.activate()

    class Broken:
        unavailable = ""

        def __call__(self, answer):
            raise IndexError("out of range")

    harness.node.session.crosschecks.check = Broken()
    capfd.readouterr()
    for _ in range(5):
        assert harness.answer().effort.tolist() == expected(four_link).tolist()
    status = harness.status("cross-check")
    assert status.level == b"\x01"
    assert "IndexError: out of range" in status.message
    assert capfd.readouterr().err.count("a comparison failed: IndexError: out of range") == 1


def test_joints_beyond_a_black_box_need_its_state(make, chain, tmp_path, capfd):
    path = tmp_path / "chain.urdf"
    path.write_text(chain("b", ""))
    harness = make(robot_description_file=str(path), stale_after=60.0)
    assert harness.node.trigger_configure() == SUCCESS
    assert harness.node.trigger_activate() == SUCCESS
    session, wrench = harness.node.session, np.array([1.0, 2.0, 3.0, 0.1, 0.2, 0.3])
    session.computation.black_box.set("box", wrench, harness.node.now())
    harness.spin_until(
        lambda: (
            harness.states.get_subscription_count()
            and harness.probe.count_publishers("/dynamics_node/joint_torques")
        )
    )
    harness.send(names=["j1", "j3"], q=[0.1, 0.3], v=[0, 0])
    harness.spin_until(lambda: session.input.counts.rejected["missing joints"] == 1)
    assert "no position for 'j2'" in capfd.readouterr().err
    q, v, stamps = [0.1, 1.5, 0.3], [0.4, -0.7, 0.2], []

    def answered():
        stamps.append(harness.send(names=["j1", "j2", "j3"], q=q, v=v))
        return any(harness.torque_of(stamp) for stamp in stamps)

    harness.spin_until(answered)  # the publisher of torques must be found first
    answer = harness.torques[-1]
    assert (answer.name, answer.position.tolist()) == (["j1", "j3"], [0.1, 0.3])
    tau = md.inverse_dynamics(md.load_urdf(str(path)), q, v, np.zeros(3), None, {"box": wrench})
    assert answer.effort == pytest.approx(tau[[0, 2]], abs=1e-12)
