"""dynamics_node: reference, external wrenches, black boxes."""

import time

import numpy as np
import pytest
from geometry_msgs.msg import WrenchStamped

import modular_dynamics as md
from helpers.nodes.dynamics_harness import NAMES, Q, V, expected
from modular_dynamics_ros.messages.trajectories import trajectory_message
from modular_dynamics_ros.node.robot_node import SUCCESS

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]


def test_the_reference_gives_accelerations(make, four_link, capfd):
    harness = make(acceleration_source="reference", stale_after=5.0)
    harness.activate()
    start, a = time.time_ns(), np.array([0.5, -1.0, 2.0, 3.0])
    order = [3, 2, 1, 0]
    names = [NAMES[k] for k in order]
    sampler = harness.node.session.computation.accelerations.reference
    samples = [(Q[order], V[order], a[order])] * 2
    harness.send(stamp=start)  # there is no reference yet
    harness.spin_until(lambda: harness.node.session.input.counts.rejected["no reference"] == 1)
    harness.reference.publish(
        trajectory_message(start, names[:3], [0, 10**9], [(q[:3],) * 3 for q, _, _ in samples])
    )
    harness.reference.publish(trajectory_message(start, names, [0, 10**9], samples))
    harness.spin_until(lambda: sampler.sample(start, np.zeros(4)).name == "COVERED")
    assert harness.answer(stamp=start + 500_000_000).effort.tolist() == expected(four_link, a=a).tolist()
    log = capfd.readouterr().err
    assert "no reference covers the stamp" in log
    assert "reference refused: no trajectory for 'turn'" in log


def test_external_wrenches_act_on_links(make, four_link, capfd):
    harness = make(stale_after=60.0)  # so that the wrench is valid however busy the machine is
    harness.activate()
    harness.spin_until(lambda: harness.external.get_subscription_count() == 1)
    message = WrenchStamped()
    message.header.frame_id = "left_branch"
    message.wrench.force.z = -5.0
    bad = WrenchStamped()
    bad.header.frame_id = "nonsense"
    timed = harness.node.session.computation.external

    log = ""

    def refused():
        nonlocal log
        log += capfd.readouterr().err
        harness.external.publish(bad)  # best effort: again until it has come
        return "external wrench refused" in log

    def taken():
        harness.external.publish(message)
        return timed.valid(harness.node.now(), 60.0)

    harness.spin_until(refused)
    harness.spin_until(taken)
    wrench = {"left_branch": np.array([0, 0, -5.0, 0, 0, 0])}
    assert harness.answer().effort == pytest.approx(expected(four_link, external_wrenches=wrench), abs=1e-13)
    log += capfd.readouterr().err
    assert log.count("external wrench refused: no link 'nonsense'") == 1


def test_a_black_box_is_fed_from_its_topic(make, four_link, tmp_path):
    partition = tmp_path / "partition.yaml"
    partition.write_text(
        "version: 1\nsubsystems:\n  - {name: stem, joints: [turn, bend]}\n"
        "  - {name: left_branch, joints: [left]}\n"
        "  - {name: right_branch, root_link: right_branch, black_box: true}\n"
    )
    result = md.InverseDynamics(md.load_urdf(four_link)).solve(Q, V, np.zeros(4))
    whole, wrench = result.tau, result.connection_wrenches[2]
    harness = make(partition_file=str(partition), stale_after=60.0)
    assert harness.node.trigger_configure() == SUCCESS
    assert harness.node.trigger_activate() == SUCCESS
    sensor = harness.probe.create_publisher(WrenchStamped, "dynamics_node/black_box/right_branch/wrench", 10)
    harness.spin_until(lambda: sensor.get_subscription_count() and harness.states.get_subscription_count())
    session = harness.node.session

    def refused():
        harness.send(names=NAMES[:3], q=Q[:3], v=V[:3])
        return session.input.counts.rejected["no wrench"] > 0

    harness.spin_until(refused)  # never zeros in place of a wrench that is not known
    assert session.input.counts.answered == 0
    message = WrenchStamped()
    force, moment = message.wrench.force, message.wrench.torque
    force.x, force.y, force.z, moment.x, moment.y, moment.z = wrench.tolist()

    def fed():
        sensor.publish(message)
        return session.computation.black_box.valid(harness.node.now(), 60.0)

    harness.spin_until(fed)
    answer = harness.answer(names=NAMES[:3], q=Q[:3], v=V[:3])
    assert answer.name == NAMES[:3]
    assert answer.effort == pytest.approx(whole[:3], abs=1e-12)  # the bound
