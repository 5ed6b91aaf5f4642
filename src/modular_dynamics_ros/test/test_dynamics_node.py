"""dynamics_node in this process: transitions, bad input, parameters, robots from a topic, stale input."""

import time

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import WrenchStamped
from modular_dynamics_interfaces.msg import SubsystemGraph
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String
from trajectory_msgs.msg import JointTrajectory

import modular_dynamics as md
from modular_dynamics_ros.conversions import stamp_message, stamp_nanoseconds, trajectory_message
from modular_dynamics_ros.dynamics_node import DynamicsNode
from modular_dynamics_ros.robot_node import FAILURE, LATCHED, SUCCESS

pytestmark = pytest.mark.usefixtures("ros")
NAMES = ["turn", "bend", "left", "right"]
Q, V = np.array([0.3, -0.5, 0.7, 0.2]), np.array([1.0, -2.0, 0.5, 0.1])
LIMIT = (
    20.0  # [s] within which a condition must come true on a busy machine; none takes more than a second alone
)


class Harness:
    """dynamics_node and a node that talks to it, in one executor."""

    def __init__(self, **parameters):
        self.node = DynamicsNode(parameter_overrides=[Parameter(k, value=v) for k, v in parameters.items()])
        self.probe = Node("probe")
        self.torques, self.efforts, self.wrenches, self.graphs, self.diagnostics = [], [], [], [], []
        listen = self.probe.create_subscription
        listen(JointState, "dynamics_node/joint_torques", self.torques.append, 1000)
        listen(Float64MultiArray, "dynamics_node/effort_commands", self.efforts.append, 1000)
        listen(WrenchStamped, "dynamics_node/connections/stem/wrench", self.wrenches.append, 1000)
        listen(SubsystemGraph, "dynamics_node/subsystem_graph", self.graphs.append, LATCHED)
        listen(DiagnosticArray, "/diagnostics", self.diagnostics.append, 10)
        self.states = self.probe.create_publisher(JointState, "joint_states", 1000)
        self.reference = self.probe.create_publisher(JointTrajectory, "reference", 10)
        self.descriptions = self.probe.create_publisher(String, "robot_description", LATCHED)
        self.external = self.probe.create_publisher(WrenchStamped, "dynamics_node/external_wrench", 10)
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.executor.add_node(self.probe)

    def spin_until(self, reached):
        deadline = time.monotonic() + LIMIT
        while not reached():
            assert time.monotonic() < deadline, "the condition never came true"
            self.executor.spin_once(timeout_sec=0.05)

    def activate(self):
        assert self.node.trigger_configure() == SUCCESS
        assert self.node.trigger_activate() == SUCCESS
        self.connect()

    def connect(self):
        """Publish states until one is answered: then all topics are connected."""
        self.spin_until(
            lambda: self.states.get_subscription_count() and self.reference.get_subscription_count()
        )
        marker = 0

        def answered():
            nonlocal marker
            marker += 1
            self.send(stamp=marker)
            return (
                any(message.header.stamp.sec < 1 for message in self.torques)
                and self.efforts
                and self.wrenches
            )

        if self.node.parameters.acceleration_source == "zero" and self.node.session is not None:
            self.spin_until(answered)
        # what is still on its way was sent with stamps below a second; `answer` looks for its own stamp
        return self

    def send(self, names=NAMES, q=Q, v=V, stamp=None, effort=()):
        numbers = {"position": q, "velocity": v, "effort": effort}
        message = JointState(name=list(names), **{k: [float(x) for x in of] for k, of in numbers.items()})
        message.header.stamp = stamp_message(time.time_ns() if stamp is None else stamp)
        self.states.publish(message)
        return stamp_nanoseconds(message.header.stamp)

    def torque_of(self, stamp):
        found = [m for m in self.torques if stamp_nanoseconds(m.header.stamp) == stamp]
        return found[0] if found else None

    def answer(self, **state):
        stamp = self.send(**state)
        self.spin_until(lambda: self.torque_of(stamp) is not None)
        return self.torque_of(stamp)

    def status(self, part, condition=lambda status: True, meanwhile=lambda: None):
        """The next status of a part that fulfils the condition."""
        first = len(self.diagnostics)

        def found():
            meanwhile()
            return [
                s
                for message in self.diagnostics[first:]
                for s in message.status
                if s.name.endswith(part) and condition(s)
            ]

        self.spin_until(found)
        return found()[0]

    def close(self):
        self.executor.shutdown()
        self.node.destroy_node()
        self.probe.destroy_node()


@pytest.fixture
def make(four_link):
    made = []

    def harness(**parameters):
        parameters = {"robot_description_file": four_link} | parameters
        made.append(Harness(**parameters))
        return made[-1]

    yield harness
    for one in made:
        one.close()


@pytest.fixture
def active(make):
    harness = make()
    harness.activate()
    return harness


def expected(graph_path, q=Q, v=V, a=(0.0, 0.0, 0.0, 0.0), **more):
    return md.inverse_dynamics(md.load_urdf(graph_path), np.array(q), np.array(v), np.array(a), **more)


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
    solver = md.InverseDynamics(md.load_urdf(four_link))
    solver(Q, V, np.zeros(4))
    force, moment = wrench.wrench.force, wrench.wrench.torque
    assert [force.x, force.y, force.z, moment.x, moment.y, moment.z] == solver.stamped_wrench(0)[1].tolist()


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
    assert harness.node.trigger_configure() == SUCCESS
    assert harness.node.trigger_activate() == SUCCESS
    harness.connect()
    harness.answer()
    assert harness.node.trigger_shutdown() == SUCCESS


@pytest.mark.parametrize(("content", "words"), [("<robot name='x'>", "line 1"), (None, "nowhere.urdf")])
def test_a_bad_file_fails_configuring_and_the_node_lives_on(make, tmp_path, four_link, capfd, content, words):
    path = tmp_path / "nowhere.urdf"
    if content is not None:
        path.write_text(content)
    harness = make(robot_description_file=str(path))
    assert harness.node.trigger_configure() == FAILURE
    log = capfd.readouterr().err
    assert "robot_description_file refused" in log
    assert words in log
    (result,) = harness.node.set_parameters([Parameter("robot_description_file", value=four_link)])
    assert result.successful
    harness.activate()
    harness.answer()


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
    assert sum(active.node.session.tally.rejected.values()) == 20


def test_another_offender_of_the_same_kind_is_named_too(active, capfd):
    capfd.readouterr()
    for k in range(20):
        active.send(q=[np.nan if joint == k % 2 else 0.1 for joint in range(4)])
    active.answer()
    log = capfd.readouterr().err
    assert log.count("position of 'turn' is NaN") == log.count("position of 'bend' is NaN") == 1


def test_an_overflow_is_never_published(make):
    harness = make(stale_after=0.1, on_stale="ramp_to_zero", ramp_time=0.2)
    harness.activate()
    good = harness.answer()
    for _ in range(3):
        harness.send(v=[1e200] * 4)
    rejected = harness.node.session.tally.rejected
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
    assert harness.node.session.tally.rejected == {"filter starts": 5}
    assert capfd.readouterr().err.count("the filter starts") == 1


def test_a_failing_comparison_ends_neither_the_node_nor_the_answer(make, four_link, capfd):
    harness = make(crosscheck_rate=1000.0, stale_after=60.0)
    harness.activate()

    def broken():
        raise IndexError("out of range")

    harness.node.session.computation.cross_check = broken
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
    harness.spin_until(lambda: session.tally.rejected["missing joints"] == 1)
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


@pytest.mark.parametrize(
    ("description", "words"),
    [
        ("/etc/passwd", "must carry the URDF's XML, which starts with '<', not '/etc/passwd'"),
        ("", "must carry the URDF's XML"),
        ("<robot name='still'><link name='a'/></robot>", "'still' has no moving joint"),
    ],
)
def test_what_is_no_robot_displaces_none(make, root, four_link, capfd, description, words):
    harness = make(robot_description_file="")
    assert harness.node.trigger_configure() == SUCCESS
    assert harness.node.trigger_activate() == SUCCESS
    good = (root / "urdf/four_link.urdf").read_text()
    harness.descriptions.publish(String(data=good))
    harness.spin_until(lambda: harness.node.session is not None)
    session = harness.node.session
    harness.descriptions.publish(String(data=description or " "))
    log = ""

    def refused():
        nonlocal log
        log += capfd.readouterr().err
        return words in log

    harness.spin_until(refused)
    assert harness.node.session is session


def test_a_topic_that_names_a_good_file_is_refused_all_the_same(make, four_link, capfd):
    harness = make(robot_description_file="")
    assert harness.node.trigger_configure() == SUCCESS
    harness.descriptions.publish(String(data=four_link))
    log = ""

    def refused():
        nonlocal log
        log += capfd.readouterr().err
        return "starts with '<'" in log

    harness.spin_until(refused)
    assert harness.node.session is None


def test_shuffled_joints_with_strangers_give_the_same_torques(active, four_link):
    order = [2, 0, 3, 1]
    shuffled = active.answer(
        names=["stranger", *(NAMES[k] for k in order)],
        q=[float("nan"), *Q[order]],
        v=[float("inf"), *V[order]],
    )
    assert shuffled.name == NAMES
    assert shuffled.effort.tolist() == expected(four_link).tolist()


def test_missing_velocities_are_zero_and_said_to_be(active, four_link, capfd):
    capfd.readouterr()
    assert active.answer(v=[]).effort.tolist() == expected(four_link, v=np.zeros(4)).tolist()
    assert "no velocity of 'turn', 'bend', 'left', 'right': taken as zero" in capfd.readouterr().err


def test_effort_commands_are_in_the_controllers_order(make):
    harness = make(controller_joints=["right", "turn"])
    harness.activate()
    torques = dict(zip(NAMES, harness.answer().effort, strict=True))
    wanted = [torques["right"], torques["turn"]]
    harness.spin_until(lambda: harness.efforts[-1].data.tolist() == wanted)


def test_unknown_controller_joints_fail_configuring(make, capfd):
    harness = make(controller_joints=["turn", "nonsense"])
    assert harness.node.trigger_configure() == FAILURE
    assert "controller_joints names 'nonsense'" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("rate", -1.0, "rate"),
        ("output", "half", "output must be one of full, gravity, full_minus_gravity, not 'half'"),
        ("stale_after", 0.0, "stale_after"),
        ("gravity", [0.0, 0.0, -1.62], "gravity may change while the node is unconfigured"),
        ("robot_description_file", "other.urdf", "robot_description_file may change while"),
        ("effort_limits", 3, "effort_limits must be a text"),
    ],
)
def test_a_bad_parameter_is_refused_and_nothing_changes(active, four_link, name, value, reason):
    before = active.node.parameters
    (result,) = active.node.set_parameters([Parameter(name, value=value)])
    assert not result.successful
    assert reason in result.reason
    assert active.node.parameters == before
    assert active.answer().effort.tolist() == expected(four_link).tolist()


def test_parameters_take_effect_at_run_time(active, four_link):
    set_one = active.node.set_parameters
    assert set_one([Parameter("output", value="gravity")])[0].successful
    rest = np.zeros(4)
    assert active.answer().effort == pytest.approx(expected(four_link, v=rest), abs=1e-13)
    assert set_one([Parameter("output", value="full"), Parameter("effort_limits", value="clip")])[
        1
    ].successful
    fast = 10.0 * V
    free = expected(four_link, v=fast)
    assert (np.abs(free) > [20, 20, 5, 5]).any()
    assert active.answer(v=fast).effort == pytest.approx(np.clip(free, [-20, -20, -5, -5], [20, 20, 5, 5]))
    assert "effort limit reached (clip)" in active.status("output", lambda s: s.level == b"\x01").message


def test_the_reference_gives_accelerations(make, four_link, capfd):
    harness = make(acceleration_source="reference", stale_after=5.0)
    harness.activate()
    start, a = time.time_ns(), np.array([0.5, -1.0, 2.0, 3.0])
    order = [3, 2, 1, 0]
    names = [NAMES[k] for k in order]
    sampler = harness.node.session.computation.reference
    samples = [(Q[order], V[order], a[order])] * 2
    harness.send(stamp=start)  # there is no reference yet
    harness.spin_until(lambda: harness.node.session.tally.rejected["no reference"] == 1)
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
    solver = md.InverseDynamics(md.load_urdf(four_link))
    whole = solver(Q, V, np.zeros(4))
    wrench = solver.connection_wrenches[2]
    harness = make(partition_file=str(partition), stale_after=60.0)
    assert harness.node.trigger_configure() == SUCCESS
    assert harness.node.trigger_activate() == SUCCESS
    sensor = harness.probe.create_publisher(WrenchStamped, "dynamics_node/black_box/right_branch/wrench", 10)
    harness.spin_until(lambda: sensor.get_subscription_count() and harness.states.get_subscription_count())
    session = harness.node.session

    def refused():
        harness.send(names=NAMES[:3], q=Q[:3], v=V[:3])
        return session.tally.rejected["no wrench"] > 0

    harness.spin_until(refused)  # never zeros in place of a wrench that is not known
    assert session.tally.answered == 0
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


def test_a_robot_from_the_topic_replaced_refused_replaced(make, root, four_link, capfd):
    harness = make(robot_description_file="")
    assert harness.node.trigger_configure() == SUCCESS
    assert harness.node.trigger_activate() == SUCCESS
    assert "waiting for a robot" in harness.status("input").message
    harness.descriptions.publish(String(data=(root / "urdf/four_link.urdf").read_text()))
    harness.spin_until(lambda: harness.node.session is not None)
    harness.connect()
    assert harness.answer().effort.tolist() == expected(four_link).tolist()
    capfd.readouterr()
    harness.descriptions.publish(String(data="<robot name='broken'>"))
    log = ""

    def refused():
        nonlocal log
        log += capfd.readouterr().err
        return "robot_description refused" in log

    harness.spin_until(refused)
    assert "'four_link' stays" in log
    assert harness.answer().effort.tolist() == expected(four_link).tolist()
    harness.descriptions.publish(String(data=(root / "urdf/branched_38dof.urdf").read_text()))
    harness.spin_until(lambda: harness.node.session.robot.graph.name == "branched_38dof")
    graph = harness.node.session.robot.graph
    harness.spin_until(lambda: harness.states.get_subscription_count() == 1)
    harness.spin_until(lambda: harness.graphs and harness.graphs[-1].robot == "branched_38dof")
    stamps = []

    def answered():
        stamps.append(harness.send(names=graph.joint_names, q=np.full(38, 0.1), v=np.full(38, 0.2)))
        return any(harness.torque_of(stamp) for stamp in stamps)

    harness.spin_until(answered)  # the new publisher must be found first
    answer = next(filter(None, map(harness.torque_of, stamps)))
    assert (
        answer.effort.tolist()
        == md.inverse_dynamics(graph, np.full(38, 0.1), np.full(38, 0.2), np.zeros(38)).tolist()
    )


def test_stop_publishes_nothing_and_says_so(make, capfd):
    harness = make(stale_after=0.1, on_stale="stop")
    harness.activate()
    harness.answer()
    count = len(harness.torques)
    status = harness.status("input", lambda s: s.level == b"\x02")
    assert "joint states are stale" in status.message
    assert len(harness.torques) == count
    harness.status("input", lambda s: s.level != b"\x02", meanwhile=harness.send)
    assert len(harness.torques) > count


def test_hold_gravity_keeps_the_last_position(make, four_link):
    harness = make(stale_after=0.1, on_stale="hold_gravity")
    harness.activate()
    last = harness.answer().header.stamp
    harness.spin_until(lambda: stamp_nanoseconds(harness.torques[-1].header.stamp) > stamp_nanoseconds(last))
    held = harness.torques[-1]
    assert held.effort == pytest.approx(expected(four_link, v=np.zeros(4)), abs=1e-13)
    assert held.position.tolist() == Q.tolist()
    assert held.velocity.tolist() == [0.0] * 4


def test_ramp_to_zero_falls_and_ends_at_zero(make, four_link):
    harness = make(stale_after=0.05, on_stale="ramp_to_zero", ramp_time=0.3)
    harness.activate()
    answer = harness.answer()
    first = harness.torques.index(answer)
    harness.spin_until(lambda: list(harness.torques[-1].effort) == [0.0] * 4)
    ramp = np.array([message.effort for message in harness.torques[first:]])
    factors = ramp @ ramp[0] / (ramp[0] @ ramp[0])
    assert ramp == pytest.approx(np.outer(factors, ramp[0]), abs=1e-12)  # one factor for all joints
    assert factors[0] == pytest.approx(1.0)
    assert (np.diff(factors) < 0.0).all()
    assert len(factors) > 3


def test_a_rate_answers_the_newest_state_only(make):
    harness = make(rate=10.0)
    harness.activate()
    stamps = [harness.send(q=Q + 0.01 * k, stamp=10**18 + k) for k in range(50)]
    harness.spin_until(lambda: harness.torque_of(stamps[-1]) is not None)
    tally = harness.node.session.tally
    answered = sum(harness.torque_of(stamp) is not None for stamp in stamps)
    assert answered < 10  # 50 states sent at once span one or few tenths of a second
    assert tally.received == tally.answered + tally.superseded


def test_diagnostics_count_and_compare(make):
    harness = make(crosscheck_rate=1000.0, stale_after=60.0)
    harness.activate()
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


def test_a_disagreement_with_pinocchio_is_an_error_logged_once(make, capfd):
    harness = make(crosscheck_rate=1000.0)
    harness.activate()
    harness.node.session.monitor.threshold = -1.0  # no difference is small enough: as if the model were wrong
    capfd.readouterr()
    for _ in range(5):
        harness.answer()
    assert harness.status("cross-check").level == b"\x02"
    assert capfd.readouterr().err.count("torques differ from Pinocchio's") == 1


def test_a_stamp_of_zero_is_the_arrival(active):
    active.answer()  # all that was sent before has been answered
    count, before = len(active.torques), time.time_ns()
    active.send(stamp=0)
    active.spin_until(lambda: len(active.torques) > count)
    assert before <= stamp_nanoseconds(active.torques[-1].header.stamp) <= time.time_ns()
