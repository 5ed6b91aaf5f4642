"""assembly_node and dynamics_node in one process: descriptions, joint states, services, lifecycle."""

import re
import time
from unittest.mock import MagicMock

import numpy as np
import pytest
from modular_dynamics_interfaces.msg import AssemblyIncidenceMatrix
from modular_dynamics_interfaces.srv import Dock, LoadAssembly, SaveAssembly, Undock
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from std_msgs.msg import String

import modular_dynamics as md
from helpers.nodes.waiting import SpunNodes
from modular_dynamics.modular import Assembly
from modular_dynamics.urdf import description_header
from modular_dynamics_ros.assembly.files import LiveAssembly
from modular_dynamics_ros.assembly.node import (
    MOST_LOOKS,
    AssemblyNode,
    AssemblyServices,
    MovingJoints,
    StatePublisherClient,
)
from modular_dynamics_ros.diagnostics.change_log import ChangeLog
from modular_dynamics_ros.dynamics.node import DynamicsNode
from modular_dynamics_ros.lifecycle.entities import LATCHED, REQUESTS
from modular_dynamics_ros.lifecycle.node import FAILURE, SUCCESS
from modular_dynamics_ros.messages.stamps import description_of, stamp_nanoseconds

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]


class Stage(SpunNodes):
    """Both nodes, and one that listens and asks."""

    def __init__(self, **parameters):
        given = [Parameter(name, value=value) for name, value in {"rate": 200.0, **parameters}.items()]
        self.node = AssemblyNode(parameter_overrides=given)
        self.dynamics, self.probe = DynamicsNode(), Node("probe")
        super().__init__(self.node, self.dynamics, self.probe)
        self.states, self.torques, self.descriptions, self.matrices = [], [], [], []
        listen = self.probe.create_subscription
        listen(JointState, "joint_states", self.states.append, 1000)
        listen(JointState, "dynamics_node/joint_torques", self.torques.append, 1000)
        listen(String, "robot_description", self.descriptions.append, LATCHED)
        listen(AssemblyIncidenceMatrix, "assembly_node/incidence_matrix", self.matrices.append, LATCHED)

    def start(self, *nodes):
        for node in nodes or (self.dynamics, self.node):
            assert node.trigger_configure() == SUCCESS
            assert node.trigger_activate() == SUCCESS
        return self

    def call(self, kind, name, /, **request):
        client = self.client(kind, f"assembly_node/{name}")
        future = client.call_async(kind.Request(**request))
        self.spin_until(future.done)
        return future.result()

    def dock(self, *ends, kind="backbone"):
        names = "module", "port", "other_module", "other_port"
        return self.call(Dock, "dock", **dict(zip(names, ends, strict=True)), kind=kind)


@pytest.fixture
def stage():
    made = Stage(base_module="b", robot_name="walker")
    yield made
    made.close()


def test_a_change_is_described_moved_and_processed(stage):
    stage.start()
    answers = [stage.dock("b", "3", "v1", "4"), stage.dock("v1", "3", "v2", "4", kind="scout")]
    assert all(answer.success for answer in answers)
    stamp = stamp_nanoseconds(answers[1].stamp)
    stage.spin_until(
        lambda: stage.descriptions and description_header(stage.descriptions[-1].data).stamp == stamp
    )
    stage.spin_until(lambda: stage.matrices and stage.matrices[-1].revision == 2)
    matrix = stage.matrices[-1]
    assert (matrix.rows, matrix.columns, list(matrix.faces)) == (3, 2, [3, 0, 4, 3, 0, 4])
    assert (matrix.modules, matrix.kinds) == (["b", "v1", "v2"], ["backbone", "backbone", "scout"])
    assert (matrix.base, matrix.assembly, matrix.header.frame_id) == ("b", "walker", "b/cube")
    assert stamp_nanoseconds(matrix.header.stamp) == stamp
    stage.spin_until(lambda: stage.torques and len(stage.torques[-1].name) == 3)
    body = Assembly(("b", "backbone")).dock("b", 3, "v1", 4, kind="backbone")
    graph = body.dock("v1", 3, "v2", 4, kind="scout").graph()
    answer = stage.torques[-1]
    assert tuple(answer.name) == graph.joint_names
    expected = md.inverse_dynamics(graph, np.array(answer.position), np.array(answer.velocity), np.zeros(3))
    np.testing.assert_allclose(answer.effort, expected, rtol=1e-12, atol=1e-12)
    for state in stage.states:
        name, description = description_of(state.header.frame_id)
        assert name == "walker"
        assert description <= stamp_nanoseconds(state.header.stamp)
        assert len(state.name) == (3 if description == stamp else 1)


def test_a_ring_at_a_singular_configuration_gets_no_torques_of_the_body_before(stage, capfd):
    """At zero the joints of a ring on the grid are in line: its independent joints do not determine it."""
    stage.start()
    for k, port in enumerate("33223"):
        carrier = f"v{k}" if k else "b"
        assert stage.dock(carrier, port, f"v{k + 1}", "4", kind="scout").success
    stage.spin_until(lambda: stage.torques and len(stage.torques[-1].name) == 10)
    closed = stage.dock("v5", "2", "b", "2", kind="")
    said = ""

    def reported():
        nonlocal said
        said += capfd.readouterr().err
        return "singular configuration" in said

    stage.spin_until(reported)
    opened = stage.call(Undock, "undock", module="b", port="2")
    times = [stamp_nanoseconds(answer.stamp) for answer in (closed, opened)]
    stage.spin_until(lambda: stamp_nanoseconds(stage.torques[-1].header.stamp) >= times[1])
    stamps = [stamp_nanoseconds(message.header.stamp) for message in stage.torques]
    assert [stamp for stamp in stamps if times[0] <= stamp < times[1]] == []


def test_an_assembly_without_joints_is_described_and_sends_no_state(stage, capfd):
    stage.start(stage.node)
    stage.spin_until(lambda: stage.descriptions and stage.matrices)
    assert stage.matrices[-1].columns == 0
    assert stage.dock("b", "3", "v1", "4", kind="block").success
    assert stage.dock("b", "3", "v2", "4").error_code == Dock.Response.REFUSED
    assert stage.dock("v1", "3", "v2", "4").success
    stage.spin_until(lambda: stage.states)
    assert stage.states[0].name == ["v2/bend"]


def test_after_the_clock_was_set_back_it_moves_on_and_is_processed(stage, monkeypatch):
    hour, now = 3600 * 10**9, time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: now() + hour)
    stage.start()
    assert stage.dock("b", "3", "v1", "4").success
    stage.spin_until(lambda: stage.torques)
    monkeypatch.undo()
    count, back = len(stage.torques), time.time_ns()
    stage.spin_until(lambda: len(stage.torques) > count + 5)
    assert back <= stamp_nanoseconds(stage.torques[-1].header.stamp) <= time.time_ns()
    assert stage.dock("v1", "3", "v2", "4").success
    assert stage.node.live.stamp <= time.time_ns()


def test_activated_again_it_is_as_it_was_and_newer(stage):
    stage.start()
    assert stage.dock("b", "3", "v1", "4").success
    stage.spin_until(lambda: stage.torques)
    before = stage.node.live
    assert stage.node.trigger_deactivate() == SUCCESS
    assert stage.call(Undock, "undock", module="v1").error_code == Undock.Response.NOT_ACTIVE
    assert stage.node.trigger_activate() == SUCCESS
    assert stage.node.live.assembly == before.assembly
    assert stage.node.live.stamp > before.stamp
    newest = stage.node.live.stamp
    stage.spin_until(lambda: stamp_nanoseconds(stage.torques[-1].header.stamp) > newest)
    assert stage.node.trigger_deactivate() == stage.node.trigger_cleanup() == SUCCESS
    assert stage.node.trigger_configure() == SUCCESS
    assert list(stage.node.live.assembly) == ["b"]  # as its parameters say
    assert stage.node.trigger_cleanup() == SUCCESS


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"base_kind": "wheel"}, "wheel"),
        ({"base_module": "a/b"}, "a/b"),
        ({"assembly_file": "nowhere.yaml"}, "nowhere.yaml"),
        ({"gait_file": "nowhere.yaml"}, "nowhere.yaml"),
        ({"module_type_files": ["nowhere.yaml"]}, "nowhere.yaml"),
        ({"robot_state_publisher": "a b"}, "robot_state_publisher: Invalid service name"),
    ],
)
def test_bad_parameters_fail_configuring_and_the_node_lives_on(capfd, parameters, words):
    node = AssemblyNode(parameter_overrides=[Parameter(k, value=v) for k, v in parameters.items()])
    try:
        assert node.trigger_configure() == FAILURE
        assert words in capfd.readouterr().err
        defaults = {"base_kind": "backbone", "base_module": "v0", "module_type_files": [""]}
        results = node.set_parameters([Parameter(k, value=defaults.get(k, "")) for k in parameters])
        assert all(result.successful for result in results)
        assert node.trigger_configure() == SUCCESS
    finally:
        node.destroy_node()


def test_the_rate_may_change_at_run_time(stage):
    stage.start(stage.node)
    assert stage.dock("b", "3", "v1", "4").success
    stage.spin_until(lambda: stage.states)
    assert stage.node.set_parameters([Parameter("rate", value=0.0)])[0].successful
    count = stage.node._sent
    assert stage.dock("v1", "3", "v2", "4").success  # meanwhile callbacks are served
    assert stage.node._sent == count
    assert stage.node.set_parameters([Parameter("rate", value=500.0)])[0].successful
    stage.spin_until(lambda: stage.node._sent > count + 5)
    assert not stage.node.set_parameters([Parameter("ease", value=3.0)])[0].successful


def test_two_hundred_requests_at_once_are_all_processed(stage):
    """The first half docks a snake, each module at the one before; the other half is refused."""
    stage.start(stage.node)
    client = stage.client(Dock, "assembly_node/dock", qos_profile=REQUESTS)
    asked = []
    for k in range(200):
        ends = {
            "module": "b" if k == 0 else f"v{k}",
            "port": "3",
            "other_module": f"v{k + 1}",
            "other_port": "4",
        }
        request = Dock.Request(**ends, kind="block" if k < 100 else "none")
        asked.append(client.call_async(request))
    stage.spin_until(lambda: all(future.done() for future in asked))
    codes = [future.result().error_code for future in asked]
    assert codes == [Dock.Response.NONE] * 100 + [Dock.Response.UNKNOWN_NAME] * 100
    assert len(stage.node.live.assembly) == 101
    revisions = [future.result().revision for future in asked]
    assert revisions == sorted(revisions)


class Host:
    """A node without DDS."""

    def __init__(self):
        self.active, self.configured, self.log, handlers = True, True, MagicMock(), {}
        self.live = LiveAssembly.of(Assembly(("v0", "backbone")), 0, 0)
        self.create_service = lambda kind, name, handle, **_: handlers.update({name: handle})
        self.get_logger = MagicMock()
        self.logged = self.get_logger().error
        AssemblyServices(self)
        self._handlers = handlers

    def change(self, make, what):
        self.live = LiveAssembly.of(make(self.live.assembly), self.live.revision + 1, 10**9 + self.live.stamp)

    def call(self, kind, /, **request):
        names = {Dock: "dock", Undock: "undock", LoadAssembly: "load", SaveAssembly: "save"}
        return self._handlers[f"~/{names[kind]}"](kind.Request(**request), kind.Response())

    def dock(self, *ends, kind="backbone", turn=0):
        names = "module", "port", "other_module", "other_port"
        return self.call(Dock, **dict(zip(names, ends, strict=True)), kind=kind, turn=turn)


@pytest.fixture
def host():
    return Host()


def test_dock_undock_save_load(host, tmp_path):
    answer = host.dock("v0", "3", "v1", "4")
    assert (answer.success, answer.error_code, answer.error_message) == (True, Dock.Response.NONE, "")
    assert (answer.revision, answer.stamp.sec) == (1, 1)
    assert host.dock("v1", "3", "v2", "2", kind="scout", turn=1).success
    docked = host.live.assembly
    file = str(tmp_path / "a.yaml")
    assert host.call(SaveAssembly, file=file).revision == 2
    assert host.call(Undock, module="v1").success
    assert list(host.live.assembly) == ["v0"]
    assert host.call(LoadAssembly, file=file).success
    assert host.live.assembly == docked
    assert host.call(SaveAssembly, file=file).error_code == SaveAssembly.Response.FILE  # it exists
    assert host.call(LoadAssembly, file=f"{file}.yaml").error_code == LoadAssembly.Response.FILE
    for kind in (SaveAssembly, LoadAssembly):
        nameless = host.call(kind)
        assert nameless.error_code == kind.Response.FILE
        assert nameless.error_message.startswith("no file is named: give the path of")
    assert host.call(Undock, module="v1", port="3").revision == 5
    assert list(host.live.assembly) == ["v0", "v1"]


@pytest.mark.parametrize(
    ("ends", "more", "code", "words"),
    [
        (("v9", "3", "v2", "4"), {}, "UNKNOWN_NAME", "v9"),
        (("v0", "2", "v2", "4"), {"kind": "wheel"}, "UNKNOWN_NAME", "wheel"),
        (("v0", "3", "v2", "4"), {}, "REFUSED", "v1"),  # used
        (("v0", "1", "v2", "4"), {}, "UNKNOWN_NAME", "2, 3, 4, 5"),  # cannot dock
        (("v0", "", "v2", "4"), {}, "UNKNOWN_NAME", "v0"),
        (("v0", "2", "v2", "9"), {}, "UNKNOWN_NAME", "port '9' of module 'v2'"),
        (("v0", "2", "v1", "2"), {"kind": ""}, "REFUSED", "port 2 of module 'v1' cannot close a ring"),
        (("v0", "2", "v1", "4"), {"kind": "backbone"}, "REFUSED", "v1"),  # is there
        (("v0", "2", "v2", "4"), {"kind": ""}, "REFUSED", "kind"),
        (("v0", "2", "v2", "4"), {"turn": 4}, "REFUSED", "turn"),
        (("v0", "2", "", "4"), {}, "REFUSED", "name"),
        (("v0", "2", "v2", "4"), {"kind": "x" * 1_000_000}, "UNKNOWN_NAME", "'xxx"),
    ],
)
def test_a_docking_that_cannot_be_is_processed_with_a_code(host, ends, more, code, words):
    host.dock("v0", "3", "v1", "4")
    before = host.live
    answer = host.dock(*ends, **more)
    assert answer.error_code == getattr(Dock.Response, code), answer.error_message
    assert words in answer.error_message
    assert len(answer.error_message) < 500
    assert not answer.success
    assert host.live is before
    assert answer.revision == 1


def test_a_name_that_dynamics_node_would_refuse_is_refused(host):
    """It would answer no joint state of such an assembly."""
    assert host.dock("v0", "3", "left-leg", "4").success
    before, long = host.live, "\u5de6" * 40
    for name, words in (("left_leg", "would share the topics of"), (long, "200 characters in topics")):
        answer = host.dock("v0", "2", name, "4")
        assert answer.error_code == Dock.Response.REFUSED
        assert words in answer.error_message
    assert host.live is before


def test_an_unexpected_error_is_processed_and_logged(host, monkeypatch):
    monkeypatch.setattr(host, "change", MagicMock(side_effect=ZeroDivisionError("by zero")))
    answer = host.dock("v0", "3", "v1", "4")
    assert answer.error_code == Dock.Response.UNEXPECTED
    assert answer.error_message.startswith("ZeroDivisionError: by zero (node.py:")
    host.logged.assert_called_once()


def test_a_matrix_that_contradicts_itself_is_told_from_an_assembly_that_cannot_be(host, tmp_path):
    host.dock("v0", "3", "v1", "4")
    before, file = host.live, tmp_path / "a.yaml"
    text = re.sub(", type: [^,}]*", "", before.assembly.incidence_matrix().to_yaml())
    for content, code, words in (
        (text.replace("v1: 4", "v0: 4"), "FILE", "the key 'v0' stands twice"),
        (text.replace("v1: 4", "v1: 9"), "UNKNOWN_NAME", "port 9 of module 'v1' cannot dock"),
        (text + "  - {faces: {v0: 2, v1: 2}}\n", "REFUSED", "cannot close a ring"),
    ):
        file.write_text(content)
        answer = host.call(LoadAssembly, file=str(file))
        assert answer.error_code == getattr(LoadAssembly.Response, code), answer.error_message
        assert words in answer.error_message
    assert host.live is before


class Sine:
    """q = sin(t + k) of three joints."""

    joint_names = ("a", "b", "c")

    def at(self, t):
        phases = t + np.arange(3.0)
        return np.sin(phases), np.cos(phases), -np.sin(phases)


@pytest.fixture
def joints():
    made = MovingJoints(Sine(), 0.5)
    made.take(["b", "fixed", "a"], 0.0)
    return made


def test_the_first_joints_follow_the_gait_in_the_assemblys_order(joints):
    q, v = joints.at(0.3)
    assert q.tolist() == [np.sin(1.3), 0.0, np.sin(0.3)]
    assert v.tolist() == [np.cos(1.3), 0.0, np.cos(0.3)]


def test_a_joint_that_comes_later_begins_at_rest_and_ends_in_the_gait(joints):
    joints.take(["c", "b"], 2.0)
    q, v = joints.at(2.0)
    assert (q[0], v[0]) == (0.0, 0.0)
    assert (q[1], v[1]) == (np.sin(3.0), np.cos(3.0))
    q, v = joints.at(2.5)
    assert (q[0], v[0]) == (np.sin(4.5), np.cos(4.5))


@pytest.mark.parametrize("t", [2.1, 2.25, 2.49, 2.6])
def test_velocities_are_the_derivatives_of_the_positions(joints, t):
    joints.take(["a", "c"], 2.0)
    step = 1e-5  # [s]; errors of the central difference: step^2 |q'''| / 6, and 1e-16 / step
    difference = (joints.at(t + step)[0] - joints.at(t - step)[0]) / (2.0 * step)
    np.testing.assert_allclose(joints.at(t)[1], difference, rtol=0.0, atol=1e-7)


class Publisher:
    """A client whose node answers when the test says so."""

    def __init__(self):
        self.ready, self.sent, self.futures = True, [], []
        self.log = ChangeLog(MagicMock(), lambda: 0.0)
        client = MagicMock(service_is_ready=lambda: self.ready, call_async=self.call)
        self.client = StatePublisherClient(MagicMock(create_client=lambda *_: client), "rsp", self.log)

    def call(self, request):
        (parameter,) = request.parameters
        assert parameter.name == "robot_description"
        self.sent.append(parameter.value.string_value)
        self.futures.append(MagicMock())
        return self.futures[-1]

    def answer(self, number, successful=True):
        result, future = MagicMock(successful=successful, reason="bad link"), self.futures[number]
        future.result = lambda: MagicMock(results=[result])
        (processed,) = future.add_done_callback.call_args.args
        processed(future)

    @property
    def said(self):
        return self.log.texts("robot_state_publisher")


def test_the_newest_is_sent_until_it_is_set():
    publisher = Publisher()
    for text in ("a", "b"):
        publisher.client.set(text)
    publisher.answer(0)  # of the older one
    publisher.client.send()
    assert publisher.sent == ["a", "b", "b"]
    publisher.answer(2)
    publisher.client.send()
    assert (publisher.sent, publisher.said) == (["a", "b", "b"], [])


def test_one_that_comes_later_gets_it_then():
    publisher = Publisher()
    publisher.ready = False
    publisher.client.set("a")
    for _ in range(MOST_LOOKS):
        assert publisher.said == []  # it may be starting
        publisher.client.send()
    assert publisher.said == ["no service 'rsp/set_parameters': does robot_state_publisher run by this name?"]
    publisher.ready = True
    publisher.client.send()
    assert publisher.sent == ["a"]


def test_a_refusal_is_reported_and_not_repeated():
    publisher = Publisher()
    publisher.client.set("a")
    publisher.answer(0, successful=False)
    publisher.client.send()
    assert publisher.sent == ["a"]
    assert publisher.said == ["'rsp/set_parameters' refused the description: bad link"]


def test_a_node_that_was_cleaned_up_sends_no_more():
    publisher = Publisher()
    publisher.client.set("a")
    publisher.client.destroy()
    publisher.client.send()
    assert publisher.sent == ["a"]
