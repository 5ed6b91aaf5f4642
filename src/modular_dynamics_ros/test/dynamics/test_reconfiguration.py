"""Services of dynamics_node that change its robot, also beside new descriptions and transitions."""

import threading
from contextlib import ExitStack, closing

import numpy as np
import pytest
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from modular_dynamics_interfaces import srv
from modular_dynamics_interfaces.srv import SetPayload
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from std_msgs.msg import String

import modular_dynamics as md
from helpers.nodes.changes.changing import request
from helpers.nodes.dynamics_harness import NAMES, Harness, Q, V
from helpers.rebuilt import assert_same_to_the_bit
from modular_dynamics_ros.lifecycle.node import FAILURE, SUCCESS
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from modular_dynamics_ros.node import worker
from modular_dynamics_ros.node.robot_node import Description
from modular_dynamics_ros.node.spinning import PersistentExecutor

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]

SERVICES = {
    "SetPayload": "set_payload",
    "AttachSubsystem": "attach_subsystem",
    "DetachSubsystem": "detach_subsystem",
    "LockJoints": "lock_joints",
}

LOAD = 2.0, (0.1, 0.0, 0.05), (0.01, 0.02, 0.015)  # mass, com, moments


class Client(Harness):
    """Calls the services."""

    def call(self, kind, **fields):
        """The response to a request with these fields, as of `helpers.nodes.changes.changing.request`."""
        asked, service = request(getattr(srv, kind), **fields), f"dynamics_node/{SERVICES[kind]}"
        client = self.client(getattr(srv, kind), service)
        future = client.call_async(asked)
        self.spin_until(future.done)
        self.probe.destroy_client(client)
        return future.result()

    def graph(self):
        """In force."""
        return self.node.session.robot.graph

    def is_processed_by(self, graph):
        """The answers are those of a graph, to the bit, and its joints are named in its order."""
        values = dict(zip(NAMES, zip(Q, V, strict=True), strict=True))
        q, v = np.array([values[name] for name in graph.joint_names]).T
        answer = self.answer()
        assert tuple(answer.name) == graph.joint_names
        assert answer.effort.tolist() == md.inverse_dynamics(graph, q, v, np.zeros(graph.nv)).tolist()


@pytest.fixture
def make(four_link):
    def client(**parameters):
        given = {"robot_description_file": four_link} | parameters
        return ended.enter_context(closing(Client(**given)))

    with ExitStack() as ended:
        yield client


@pytest.fixture
def active(make):
    return make().activate()


def loaded(graph):
    """A graph with that payload on left_branch."""
    mass, com, moments = LOAD
    return graph.with_payload("left_branch", mass=mass, com=com, inertia=np.diag(moments))


CODES = SetPayload.Response


def test_a_payload_counts_from_the_next_joint_state_that_arrives(active, described, capfd):
    before = active.send()
    response = active.call("SetPayload", link="left_branch", load=LOAD)
    assert (response.success, response.error_code, response.error_message) == (True, CODES.NONE, "")
    assert response.joint_names == NAMES
    stamp = stamp_nanoseconds(response.stamp)
    assert before < stamp <= active.node.now()
    first = active.answer(stamp=stamp)
    assert first.effort.tolist() == md.inverse_dynamics(loaded(described), Q, V, np.zeros(4)).tolist()
    active.is_processed_by(loaded(described))
    assert active.call("SetPayload", link="left_branch").success
    active.is_processed_by(described)
    assert active.node.session.robot.graph.payloads == {}
    assert active.call("SetPayload", link="left_branch").success  # none there: none to remove
    log = capfd.readouterr().err
    assert "payload of 2 kg on 'left_branch'; active changes: 1" in log
    assert "no payload on 'left_branch'; active changes: 0" in log


def test_a_gripper_is_attached_and_detached(active, described, gripper_urdf, tmp_path):
    at = (0.0, 0.0, 0.1, 0.6, 0.0, 0.0, 0.8)
    hand = {"name": "hand", "link": "left_branch", "prefix": "g/", "at": at}
    response = active.call("AttachSubsystem", robot_description=gripper_urdf, **hand)
    assert response.success, response.error_message
    assert response.joint_names == [*NAMES, "g/finger"]
    x = np.array([[-0.28, -0.96, 0, 0], [0.96, -0.28, 0, 0], [0, 0, 1, 0.1], [0, 0, 0, 1]])
    graph = described.attach(md.load_urdf(gripper_urdf), "left_branch", x, prefix="g/")
    values = dict(zip([*NAMES, "g/finger"], zip([*Q, 0.02], [*V, 0.3], strict=True), strict=True))
    q, v = np.array(list(values.values())).T
    answer = active.answer(names=[*values], q=q, v=v)
    expected = md.inverse_dynamics(graph, q, v, np.zeros(5))
    assert answer.effort == pytest.approx(expected, rel=1e-12)
    assert answer.name == [*values]
    active.spin_until(lambda: "g/finger" in active.graphs[-1].dot)
    assert active.call("DetachSubsystem", name="hand").success
    active.is_processed_by(described)
    path = tmp_path / "gripper.urdf"
    path.write_text(gripper_urdf)
    assert active.call("AttachSubsystem", file=str(path), **hand).success
    assert active.graph().joint_names == (*NAMES, "g/finger")


def test_joints_are_locked_where_they_are_and_need_no_state_then(active, described):
    active.answer()
    assert active.call("LockJoints", joint_names=["bend"]).joint_names == ["turn", "left", "right"]
    locked = described.lock({"bend": Q[1]})
    answer = active.answer(names=["turn", "left", "right"], q=Q[[0, 2, 3]], v=V[[0, 2, 3]])
    expected = md.inverse_dynamics(locked, Q[[0, 2, 3]], V[[0, 2, 3]], np.zeros(3))
    assert answer.effort.tolist() == expected.tolist()
    assert active.call("LockJoints", joint_names=["left"], positions=[0.4]).success
    assert_same_to_the_bit(active.graph(), locked.lock({"left": 0.4}))
    assert active.call("LockJoints", joint_names=["left", "bend"], unlock=True).joint_names == NAMES
    active.is_processed_by(described)


LONG = {"link": "x\n[INFO] " + "y" * 100_000, "load": LOAD}


@pytest.mark.parametrize(  # one of each code; others are in test_edits and helpers.nodes.changes.bad_changes
    ("kind", "fields", "code", "words"),
    [
        pytest.param("SetPayload", LONG, "UNKNOWN_NAME", "x [INFO] yyy", id="long name"),
        ("AttachSubsystem", {"name": "h", "link": "base", "text": "<robot"}, "REFUSED", "line 1"),
        ("AttachSubsystem", {"name": "h", "link": "base", "text": "<a/>", "file": "a"}, "REFUSED", "both"),
        ("AttachSubsystem", {"name": "h", "link": "base", "file": "/no/robot"}, "FILE", "no URDF or xacro"),
        ("LockJoints", {"joint_names": NAMES, "positions": [0.0] * 4}, "REFUSED", "has no moving joint"),
        ("LockJoints", {"joint_names": ["turn"], "positions": [0.0, 1.0]}, "BAD_STATE", "2 positions for 1"),
        (
            "LockJoints",
            {"joint_names": ["turn"], "positions": [0.0], "unlock": True},
            "BAD_STATE",
            "both given",
        ),
    ],
)
def test_a_refusal_says_why_and_leaves_the_robot_as_it_is(active, described, kind, fields, code, words):
    given = dict(fields)
    if (text := given.pop("text", None)) is not None:
        given["robot_description"] = text
    session = active.node.session
    response = active.call(kind, **given)
    assert not response.success
    assert words in response.error_message
    assert response.error_code == getattr(response, code), response.error_message
    assert (active.node.session, response.joint_names) == (session, NAMES)
    active.is_processed_by(described)


def test_parameters_of_the_node_that_name_joints_must_go_on_to_fit(make, described):
    client = make(controller_joints=["left", "turn"], absent_joints=["right:=0.1"]).activate()
    response = client.call("LockJoints", joint_names=["left"])
    assert response.error_code == response.REFUSED
    assert "controller_joints names 'left'" in response.error_message
    response = client.call("LockJoints", joint_names=["right"], positions=[0.1])
    assert "absent_joints names 'right'" in response.error_message
    client.is_processed_by(described)
    assert len(client.node.session._outputs._publishers) > 0


def test_a_node_that_is_not_active_or_has_no_robot_says_so(make):
    client = make(robot_description_file="")
    assert client.node.trigger_configure() == SUCCESS
    response = client.call("DetachSubsystem", name="hand")
    assert (response.error_code, response.joint_names) == (response.NOT_ACTIVE, [])
    assert "activate it first" in response.error_message
    assert client.node.trigger_activate() == SUCCESS
    assert "is awaited" in client.call("DetachSubsystem", name="hand").error_message


def test_an_unexpected_error_is_processed_and_logged(active, described, monkeypatch, capfd):
    def broken(*arguments):
        raise OverflowError("made up")

    monkeypatch.setattr("modular_dynamics_ros.dynamics.reconfiguration.prepared_robot", broken)
    response = active.call("SetPayload", link="left_branch", load=LOAD)
    assert response.error_code == response.UNEXPECTED
    assert response.error_message.startswith("OverflowError: made up (test_reconfiguration.py:")
    active.said("unexpected error in a service: OverflowError: made up", capfd)
    active.is_processed_by(described)


def test_gravity_that_was_set_at_run_time_stays(active, described):
    (result,) = active.node.set_parameters([Parameter("gravity", value=[0.0, 1.0, -3.0])])
    assert result.successful
    assert active.call("SetPayload", link="left_branch", load=LOAD).success
    active.answer()
    assert active.graph().gravity.tolist() == [0.0, 1.0, -3.0]


def test_links_are_named_as_in_tf_or_as_in_the_urdf(make, described, gripper_urdf):
    client = make(frame_prefix="left/").activate()
    for link in ("left/left_branch", "left_branch"):
        assert client.call("SetPayload", link=link, load=LOAD).success
        assert_same_to_the_bit(client.graph(), loaded(described))
    hand = {"name": "hand", "link": "left/base", "robot_description": gripper_urdf}
    assert client.call("AttachSubsystem", **hand).success
    assert_same_to_the_bit(client.graph(), loaded(described).attach(md.load_urdf(gripper_urdf), "base"))


def test_a_joint_is_not_locked_where_another_one_of_its_name_was_long_ago(make, gripper_urdf, described):
    client = make(stale_after=0.2).activate()
    client.answer()
    client.send(names=["finger"], q=[1.2], v=[0.0])  # nobody has such a joint
    client.spin_until(lambda: client.node.session.record.counts.of_other_joints == 1)
    old = client.node.now()
    client.spin_until(lambda: client.node.now() > old + 300_000_000)
    assert client.call("AttachSubsystem", name="h", link="base", robot_description=gripper_urdf).success
    refused = client.call("LockJoints", joint_names=["finger"])
    assert "no position of 'finger' was measured" in refused.error_message


def test_a_joint_is_locked_where_it_was_measured_while_a_new_one_was_not(active, described, gripper_urdf):
    active.answer()
    assert active.call(
        "AttachSubsystem", name="h", link="base", robot_description=gripper_urdf, prefix="g/"
    ).success
    active.send(names=["bend"], q=[0.321], v=[0.0])
    active.spin_until(lambda: active.node.session.record.counts.incomplete == 1)
    assert active.call("LockJoints", joint_names=["turn", "bend"]).success
    expected = described.attach(md.load_urdf(gripper_urdf), "base", prefix="g/")
    assert_same_to_the_bit(active.graph(), expected.lock({"turn": Q[0], "bend": 0.321}))
    refused = active.call("LockJoints", joint_names=["g/finger"])
    assert "no position of 'g/finger' was measured" in refused.error_message


def describe(client, text):
    """Publish a description, and wait until it is in force."""
    session = client.node.session
    client.descriptions.publish(String(data=text))
    client.spin_until(lambda: client.node.session is not session)


def test_changes_stay_where_a_new_description_of_the_robot_allows_them(make, described, capfd):
    client = make(robot_description_file="").start()
    describe(client, described.urdf)
    client.connect()
    assert client.call("SetPayload", link="left_branch", load=LOAD).success
    assert client.call("LockJoints", joint_names=["right"], positions=[0.1]).success
    heavy = described.urdf.replace('<mass value="', '<mass value="1')
    describe(client, heavy)
    assert_same_to_the_bit(client.graph(), loaded(md.load_urdf(heavy)).lock({"right": 0.1}))
    # other names: what does not fit any more is dropped
    other = described.urdf.replace('"right"', '"wing"')
    describe(client, other)
    client.said("a change is dropped: locked: right at 0.1: ", capfd)
    assert_same_to_the_bit(client.graph(), loaded(md.load_urdf(other)))
    describe(client, other.replace("four_link", "another"))
    client.said("they are of the robot 'four_link', and this one is 'another'", capfd)
    assert client.graph().payloads == {}


def test_a_description_that_comes_while_a_change_is_prepared_is_changed_too(make, described, monkeypatch):
    client = make(robot_description_file="").start()
    client.descriptions.publish(String(data=described.urdf))
    client.spin_until(lambda: client.node.session is not None)
    session, drafted = client.node.session, client.node._changes._drafted
    heavy = described.urdf.replace('<mass value="', '<mass value="1')
    other = client.node._load(heavy)

    def then_described(*arguments):
        result = drafted(*arguments)
        if client.node.session is session:
            client.node._add(other, Description())
        return result

    monkeypatch.setattr(client.node._changes, "_drafted", then_described)
    assert client.call("SetPayload", link="left_branch", load=LOAD).success
    assert_same_to_the_bit(client.graph(), loaded(md.load_urdf(heavy)))


def test_a_change_made_while_a_description_is_prepared_stays_where_others_are_dropped(make, described, capfd):
    client = make().activate()
    assert client.call("SetPayload", link="left_branch", load=LOAD).success
    other = described.urdf.replace('"left_branch"', '"wing"')
    prepared = client.node._load(other)
    assert client.call("LockJoints", joint_names=["right"], positions=[0.1]).success
    client.node._add(prepared, Description())
    assert_same_to_the_bit(client.graph(), md.load_urdf(other).lock({"right": 0.1}))
    log = capfd.readouterr().err
    assert "a change is dropped: payload of 2 kg on 'left_branch'" in log
    assert "changes that stay active: locked: right at 0.1" in log


def test_the_changed_robot_is_published(make, described):
    texts = []
    client = make(publish_robot_description=True)
    client.probe.create_subscription(String, "robot_description", lambda one: texts.append(one.data), 10)
    client.activate()
    client.spin_until(lambda: texts)
    assert texts == [described.urdf]
    assert client.call("SetPayload", link="left_branch", load=LOAD).success
    client.spin_until(lambda: len(texts) > 1)
    graph = md.load_urdf(texts[-1])
    values = np.zeros((2, 4))
    tau = md.inverse_dynamics(graph, Q, *values)
    assert tau == pytest.approx(md.inverse_dynamics(loaded(described), Q, *values), abs=1e-12)


def test_the_contact_filter_goes_on_and_no_message_of_it_is_left_out(make):
    client = make(external_torque_cutoff=0.01)
    messages = []
    client.probe.create_subscription(JointState, "dynamics_node/external_torques", messages.append, 100)
    client.activate()

    def contact(effort):
        stamp = client.send(effort=[effort] * 4)

        def of_stamp():
            return [one for one in messages if stamp_nanoseconds(one.header.stamp) == stamp]

        client.spin_until(of_stamp)
        return np.array(of_stamp()[0].effort)

    client.spin_until(lambda: client.send(effort=[0.0] * 4) and messages)
    before = contact(0.0)
    assert client.call("SetPayload", link="left_branch", load=(1e-9, (0.0,) * 3, (0.0,) * 3)).success
    assert np.abs(contact(1e3) - before).max() < 500.0  # a filter that began anew would be 1,000 away


@pytest.fixture
def start(make):
    """An active node in the executor of its process, and its client."""

    def client(**parameters):
        made = make(**parameters)
        made.executor.shutdown()
        made.executor = PersistentExecutor(made.node.log, lambda: False)
        for node in (made.node, made.probe):
            made.executor.add_node(node)
        return made.activate()

    return client


@pytest.mark.parametrize("slow", [False, True])
def test_a_change_is_processed_before_its_service_goes(start, monkeypatch, slow):
    """Also where it takes longer than the node waits for it."""
    client, begun, go_on = start(), threading.Event(), threading.Event()
    reconfiguration = client.node._changes
    drafted = reconfiguration._drafted

    def delayed(*arguments):
        begun.set()
        go_on.wait(10.0)
        return drafted(*arguments)

    monkeypatch.setattr(reconfiguration, "_drafted", delayed)
    monkeypatch.setattr(worker, "PATIENCE", 0.1 if slow else 10.0)
    payload = client.client(SetPayload, "dynamics_node/set_payload")
    answer = payload.call_async(request(SetPayload, link="left_branch", load=LOAD))
    client.spin_until(begun.is_set)
    destroy = reconfiguration._worker.destroy

    def waited(*error):
        if not slow:
            go_on.set()
        destroy(*error)

    monkeypatch.setattr(reconfiguration._worker, "destroy", waited)
    change = client.client(ChangeState, "dynamics_node/change_state")
    ids = Transition.TRANSITION_DEACTIVATE, Transition.TRANSITION_CLEANUP, Transition.TRANSITION_CONFIGURE
    done = [change.call_async(ChangeState.Request(transition=Transition(id=one))) for one in ids]
    client.spin_until(lambda: answer.done() and all(one.done() for one in done))
    assert all(one.result().success for one in done)
    assert answer.result().error_code == SetPayload.Response.NOT_ACTIVE
    go_on.set()
    assert client.node.trigger_activate() == SUCCESS


@pytest.mark.parametrize("stop", ["trigger_deactivate", "stop"])
def test_a_ramp_goes_to_zero_although_a_subsystem_and_its_topics_are_gone(start, stop):
    client, stamped = start(on_stale="ramp_to_zero", ramp_time=3.0), []
    client.probe.create_subscription(
        JointState, "dynamics_node/stamped_effort_commands", stamped.append, 1000
    )

    def sent():
        client.send()
        return stamped and client.efforts

    client.spin_until(sent)
    client.answer()  # and so are those that were on their way
    assert client.call("LockJoints", joint_names=["right"]).success
    wrench = "/dynamics_node/connections/right_branch/wrench"
    client.spin_until(lambda: not client.probe.count_publishers(wrench))
    assert any(client.efforts[-1].data)
    assert getattr(client.node, stop)() in (SUCCESS, None)
    client.spin_until(lambda: not any(client.efforts[-1].data) and not any(stamped[-1].effort))
    assert stamped[-1].name == NAMES
    sizes = [np.abs(one.effort).max() for one in stamped[1:]]
    assert sizes == sorted(sizes, reverse=True)


NO_BODY = {"link": "right_branch", "load": (1.0, (0.0,) * 3, (0.1, 0.1, 1.0))}
TRIANGLE = "breaks the triangle inequality"


def test_strict_refuses_them_and_the_robot_stays_as_it_is(make, described):
    client = make(strict=True).activate()
    client.is_processed_by(described)
    response = client.call("SetPayload", **NO_BODY)
    assert response.error_code == response.BAD_STATE, response.error_message
    assert response.error_message.startswith("strict: the inertia of the payload on link 'right_branch' ")
    assert f"{TRIANGLE} (principal moments 0.1, 0.1, 1 kg m^2" in response.error_message
    client.is_processed_by(described)
    assert client.call("SetPayload", link="left_branch", load=LOAD).success
    client.is_processed_by(loaded(described))


def test_the_topic_of_others_is_not_published(make, capfd):
    client = make(publish_robot_description=True, robot_description_file="")
    assert client.node.trigger_configure() == FAILURE
    assert "publish_robot_description needs robot_description_file" in capfd.readouterr().err
