"""A node that stops while a change is prepared, or while it ramps torques of a robot that was changed."""

import threading

import numpy as np
import pytest
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from modular_dynamics_interfaces.srv import SetPayload
from sensor_msgs.msg import JointState

from helpers.nodes.changes.changing import request
from helpers.nodes.dynamics_harness import NAMES
from modular_dynamics_ros.lifecycle.executor import PersistentExecutor
from modular_dynamics_ros.node import worker
from modular_dynamics_ros.node.robot_node import SUCCESS

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]


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
def test_a_change_is_answered_before_its_service_goes(start, described, tmp_path, load, monkeypatch, slow):
    """Also where it takes longer than the node waits for it; then nothing is left of it."""
    client, go_on = start(changes_file=str(tmp_path / "changes.yaml")), threading.Event()
    reconfiguration = client.node._changes
    drafted = reconfiguration._drafted

    def delayed(*arguments):
        made = drafted(*arguments)
        go_on.wait(10.0)
        return made

    monkeypatch.setattr(reconfiguration, "_drafted", delayed)
    monkeypatch.setattr(worker, "PATIENCE", 0.1 if slow else 10.0)
    payload = client.client(SetPayload, "dynamics_node/set_payload")
    answer = payload.call_async(request(SetPayload, link="left_branch", load=load))
    client.spin_until(lambda: list(tmp_path.iterdir()))
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
    client.spin_until(lambda: not list(tmp_path.glob(".*")))
    assert client.node.trigger_activate() == SUCCESS


def test_requests_that_wait_while_the_node_is_cleaned_up_are_answered(start, load):
    """So are those to a node that is not configured: a client waits for the answer of each."""
    client = start()
    payload = client.client(SetPayload, "dynamics_node/set_payload")
    change = client.client(ChangeState, "dynamics_node/change_state")
    asked = [payload.call_async(request(SetPayload, link="left_branch", load=load)) for _ in range(8)]
    ids = Transition.TRANSITION_DEACTIVATE, Transition.TRANSITION_CLEANUP
    done = [change.call_async(ChangeState.Request(transition=Transition(id=one))) for one in ids]
    client.spin_until(lambda: all(one.done() for one in (*done, *asked)))
    assert all(one.result().success for one in done)
    answers = [one.result() for one in asked]
    assert {one.error_code for one in answers} <= {SetPayload.Response.NONE, SetPayload.Response.NOT_ACTIVE}
    refused = client.call("SetPayload", link="left_branch", load=load)
    assert (refused.success, refused.error_code, refused.joint_names) == (False, refused.NOT_ACTIVE, [])
    assert refused.error_message == "the node is not active; configure and activate it first"


@pytest.mark.parametrize("stop", ["trigger_deactivate", "stop"])
def test_a_ramp_goes_to_zero_although_a_subsystem_and_its_topics_are_gone(start, stop):
    client, stamped = start(on_stale="ramp_to_zero", ramp_time=3.0, stale_after=0.3), []
    client.probe.create_subscription(
        JointState, "dynamics_node/stamped_effort_commands", stamped.append, 1000
    )

    def sent():
        client.send()
        return stamped and client.efforts

    client.spin_until(sent)
    assert client.call("DetachSubsystem", name="right_branch").success
    wrench = "/dynamics_node/connections/right_branch/wrench"
    client.spin_until(lambda: not client.probe.count_publishers(wrench))
    assert any(client.efforts[-1].data)
    assert getattr(client.node, stop)() in (SUCCESS, None)
    client.spin_until(lambda: not any(client.efforts[-1].data) and not any(stamped[-1].effort))
    assert stamped[-1].name == NAMES
    sizes = [np.abs(one.effort).max() for one in stamped[1:]]
    assert sizes == sorted(sizes, reverse=True)
