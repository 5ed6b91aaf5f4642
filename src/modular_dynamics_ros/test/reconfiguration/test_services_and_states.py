"""Changes beside new descriptions, joint states and transitions of the node; what is published of them."""

import threading

import numpy as np
import pytest
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from modular_dynamics_interfaces.srv import SetPayload
from sensor_msgs.msg import JointState
from std_msgs.msg import String

import modular_dynamics as md
from helpers.nodes.changes.changing import request
from helpers.nodes.dynamics_harness import NAMES, Q
from helpers.rebuilt import assert_same_to_the_bit
from modular_dynamics_ros.lifecycle.node import FAILURE, SUCCESS
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from modular_dynamics_ros.node import worker
from modular_dynamics_ros.node.robot_node import Description
from modular_dynamics_ros.node.spinning import PersistentExecutor

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]


def describe(client, text):
    """Publish a description, and wait until it is in force."""
    session = client.node.session
    client.descriptions.publish(String(data=text))
    client.spin_until(lambda: client.node.session is not session)


def test_changes_stay_where_a_new_description_of_the_robot_allows_them(make, described, capfd, loaded, load):
    client = make(robot_description_file="").start()
    describe(client, described.urdf)
    client.connect()
    assert client.call("SetPayload", link="left_branch", load=load).success
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


def test_a_description_that_comes_while_a_change_is_prepared_is_changed_too(
    make, described, monkeypatch, loaded, load
):
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
    assert client.call("SetPayload", link="left_branch", load=load).success
    assert_same_to_the_bit(client.graph(), loaded(md.load_urdf(heavy)))


def test_a_change_that_comes_while_a_description_is_prepared_stays_where_others_are_dropped(
    make, described, capfd, load
):
    client = make().activate()
    assert client.call("SetPayload", link="left_branch", load=load).success
    other = described.urdf.replace('"left_branch"', '"wing"')
    prepared = client.node._load(other)
    assert client.call("LockJoints", joint_names=["right"], positions=[0.1]).success
    client.node._add(prepared, Description())
    assert_same_to_the_bit(client.graph(), md.load_urdf(other).lock({"right": 0.1}))
    log = capfd.readouterr().err
    assert "a change is dropped: payload of 2 kg on 'left_branch'" in log
    assert "changes that stay active: locked: right at 0.1" in log


def test_the_changed_robot_is_published(make, described, loaded, load):
    texts = []
    client = make(publish_robot_description=True)
    client.probe.create_subscription(String, "robot_description", lambda one: texts.append(one.data), 10)
    client.activate()
    client.spin_until(lambda: texts)
    assert texts == [described.urdf]
    assert client.call("SetPayload", link="left_branch", load=load).success
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
def test_a_change_is_answered_before_its_service_goes(start, load, monkeypatch, slow):
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
    answer = payload.call_async(request(SetPayload, link="left_branch", load=load))
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


def test_strict_refuses_them_and_the_robot_stays_as_it_is(make, described, load, loaded):
    client = make(strict=True).activate()
    client.is_answered_by(described)
    response = client.call("SetPayload", **NO_BODY)
    assert response.error_code == response.BAD_STATE, response.error_message
    assert response.error_message.startswith("strict: the inertia of the payload on link 'right_branch' ")
    assert f"{TRIANGLE} (principal moments 0.1, 0.1, 1 kg m^2" in response.error_message
    client.is_answered_by(described)
    assert client.call("SetPayload", link="left_branch", load=load).success
    client.is_answered_by(loaded(described))


def test_the_topic_of_others_is_not_published(make, capfd):
    client = make(publish_robot_description=True, robot_description_file="")
    assert client.node.trigger_configure() == FAILURE
    assert "publish_robot_description needs robot_description_file" in capfd.readouterr().err
