"""dynamics_node: what it answers, refuses and reports, and when; transitions and parameters."""

import time

import numpy as np
import pytest
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState

import modular_dynamics as md
from helpers.nodes.dynamics_harness import NAMES, Q, V, expected
from helpers.nodes.lone_node import receive
from helpers.nodes.sessions.lone_session import LoneSession, S
from helpers.robots.spatial_mechanisms import platform
from modular_dynamics_ros.lifecycle.node import SUCCESS
from modular_dynamics_ros.messages.geometry import WrenchWriter, wrench_from_message
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.messages.subsystems import connection_wrenches_from_message

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]


def test_an_answer_holds_names_state_effort_and_the_inputs_stamp(active, four_link):
    message = active.answer()
    assert message.name == NAMES
    assert message.position.tolist() == Q.tolist()
    assert message.velocity.tolist() == V.tolist()
    assert message.effort.tolist() == expected(four_link).tolist()
    active.spin_until(lambda: len(active.graphs) == 1)
    assert [vertex.name for vertex in active.graphs[0].vertices] == ["stem", "left_branch", "right_branch"]
    newest = message.header.stamp
    active.spin_until(lambda: any(wrench.header.stamp == newest for wrench in active.wrenches))
    wrench = next(wrench for wrench in active.wrenches if wrench.header.stamp == newest)
    assert wrench.header.frame_id == "lower_stem"  # the child link of the stem's first joint
    result = md.InverseDynamics(md.load_urdf(four_link)).solve(Q, V, np.zeros(4))
    assert wrench_from_message(wrench).tolist() == result.connection_wrench_in_link(0)[1].tolist()


def test_one_message_holds_the_wrenches_of_all_connections(four_link):
    session = LoneSession(four_link, {"~/connection_wrenches"})
    (torques,) = session.send(1.0)
    (message,) = session.node.sent["~/connection_wrenches"]
    graph = md.load_urdf(four_link)
    result = md.InverseDynamics(graph).solve(Q, V, np.zeros(4))
    names = [subsystem.name for subsystem in graph.subsystems]
    read = connection_wrenches_from_message(message, names, graph.links)
    assert message.subsystems == names
    for index, name in enumerate(names):
        link, wrench = result.connection_wrench_in_link(index)
        assert (read[name][0], read[name][1].tolist()) == (link, wrench.tolist())
    assert message.header.stamp == torques.header.stamp


def test_a_passive_platform_is_processed_without_its_pose(make, tmp_path):
    graph, path, completed = platform(floating=True), tmp_path / "platform.urdf", []
    path.write_text(graph.urdf)
    harness = make(robot_description_file=str(path)).start()
    topic = "dynamics_node/completed_joint_states"
    harness.probe.create_subscription(JointState, topic, completed.append, 10)
    names, q = graph.independent_joint_names, np.full(6, 0.03)
    answer = harness.answer_when_connected(names=names, q=q, v=0 * q)
    result = md.InverseDynamics(graph).solve(q, 0 * q, 0 * q)
    assert answer.effort == pytest.approx(result.tau, rel=1e-9)
    harness.spin_until(lambda: harness.send(names=names, q=q, v=0 * q) and completed)
    single = [name for name in graph.joint_names if name != "pose"]
    assert list(completed[-1].name) == single
    expected_q = [result.coordinates[graph.q_slice(name).start] for name in single]
    assert completed[-1].position == pytest.approx(expected_q, abs=1e-9)


def test_transitions_and_silence_while_inactive(make):
    harness = make()
    assert harness.node.trigger_configure() == SUCCESS
    harness.spin_until(lambda: harness.probe.count_publishers("/dynamics_node/joint_torques") == 1)
    assert harness.states.get_subscription_count() == 0  # an inactive node does not even listen
    assert harness.node.trigger_activate() == SUCCESS
    harness.connect()
    assert harness.node.trigger_deactivate() == SUCCESS
    harness.spin_until(lambda: harness.states.get_subscription_count() == 0)
    unheard = harness.send()
    assert harness.node.trigger_activate() == SUCCESS
    harness.connect()
    harness.answer()
    assert harness.torque_of(unheard) is None
    assert harness.node.trigger_deactivate() == SUCCESS
    assert harness.node.trigger_cleanup() == SUCCESS
    harness.spin_until(lambda: harness.probe.count_publishers("/dynamics_node/joint_torques") == 0)
    harness.activate().answer()
    assert harness.node.trigger_shutdown() == SUCCESS


def test_missing_velocities_are_zero_and_said_to_be(active, four_link, capfd):
    capfd.readouterr()
    assert active.answer(v=[]).effort.tolist() == expected(four_link, v=np.zeros(4)).tolist()
    assert "no velocity of 'turn', 'bend', 'left', 'right': taken as zero" in capfd.readouterr().err


def test_parameters_take_effect_at_run_time(active, four_link):
    def change(**values):
        results = active.node.set_parameters([Parameter(k, value=v) for k, v in values.items()])
        assert all(result.successful for result in results)

    change(output="gravity")
    assert active.answer().effort == pytest.approx(expected(four_link, v=np.zeros(4)), abs=1e-13)
    change(output="full", effort_limits="clip")
    limits, fast = np.array([20, 20, 5, 5]), 10.0 * V
    free = expected(four_link, v=fast)
    assert (np.abs(free) > limits).any()
    assert active.answer(v=fast).effort == pytest.approx(np.clip(free, -limits, limits))
    assert "effort limit reached (clip)" in active.status("output", lambda s: s.level == b"\x01").message
    change(gravity=[3.0, -2.0, -7.0], effort_limits="off")
    graph = md.load_urdf(four_link, gravity=(3.0, -2.0, -7.0))
    assert active.answer().effort.tolist() == md.inverse_dynamics(graph, Q, V, np.zeros(4)).tolist()


def test_diagnostics_count_and_compare(make):
    harness = make(crosscheck_rate=1e4, stale_after=60.0).activate()  # answers may be 1 ms apart
    for _ in range(5):
        harness.answer()
    harness.send(q=[float("nan")] * 4)
    status = harness.status("input", lambda s: s.level == b"\x01")
    assert "position of 'turn', 'bend', 'left', 'right' is NaN" in status.message
    assert status.hardware_id == "four_link"
    check = harness.status("cross-check")
    values = {entry.key: entry.value for entry in check.values}
    assert check.level == b"\x00"
    assert int(values["comparisons"]) >= 5
    assert float(values["worst relative difference"]) < 1e-12
    assert "worst difference of stem [N m or N]" in values
    output = {entry.key: entry.value for entry in harness.status("output").values}
    assert int(output["messages out"]) >= 5
    assert 0.0 < float(output["latency p50 [ms]"]) <= float(output["latency p99 [ms]"])


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"q": [0.1, float("nan"), 0.1, 0.1]}, "position of 'bend' is NaN or infinite"),
        ({"effort": [0.0] * 5}, "effort has 5 values for 4 joint names"),
    ],
)
def test_a_bad_state_is_named_once_and_the_next_good_one_processed(active, four_link, capfd, message, words):
    capfd.readouterr()
    stamps = [active.send(**message) for _ in range(20)]
    good = active.answer()  # answers keep the order of the states: nothing before it is still to come
    assert good.effort.tolist() == expected(four_link).tolist()
    assert all(active.torque_of(stamp) is None for stamp in stamps)
    log = capfd.readouterr().err
    assert log.count(words) == 1
    assert sum(active.node.session.record.counts.rejected.values()) == 20


def test_while_the_filter_starts_nothing_is_processed_and_that_is_said_once(four_link):
    session = LoneSession(four_link, acceleration_source="filtered")
    assert [len(session.send(1.0 + 0.002 * k)) for k in range(10)] == [0] * 5 + [1] * 5
    assert session.record.counts.rejected == {"filter starts": 5}
    assert session.node.log._logger.warning.call_count == 1


def test_external_wrenches_act_on_links(four_link):
    session = LoneSession(four_link, stale_after=30.0)
    wrench = np.array([0.0, 0.0, -5.0, 0.0, 0.0, 0.0])
    now = time.time()  # the middleware's clock says how long a message has waited
    session.node.time = round(now * S)
    stamp = stamp_message(session.node.time)
    for link in ("nonsense", "left_branch"):
        receive(session.node, "~/external_wrench", WrenchWriter().write(stamp, link, wrench))
    (torques,) = session.send(now)
    loaded = expected(four_link, external_wrenches={"left_branch": wrench})
    assert torques.effort == pytest.approx(loaded, abs=1e-13)
    assert "external wrench refused: no link 'nonsense'" in session.node.log.texts("wrenches")[0]
