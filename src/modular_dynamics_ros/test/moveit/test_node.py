"""moveit_payload_node with services that stand for MoveIt and dynamics_node; and without moveit_msgs."""

from importlib.util import find_spec
from types import SimpleNamespace as Message

import numpy as np
import pytest
from modular_dynamics_interfaces.srv import SetPayload
from rclpy.parameter import Parameter
from std_msgs.msg import String

from helpers.attached_objects import CUBE, HERE, attached
from helpers.processes import run_python
from modular_dynamics_ros.moveit import node as module
from modular_dynamics_ros.moveit.attached_objects import Load
from modular_dynamics_ros.moveit.node import MoveitPayloadNode, payload_request

pytestmark = pytest.mark.ros


class Service:
    """Stands for a service: answers at once, where it is there."""

    def __init__(self, answer):
        self.answer, self.ready, self.asked, self.awaits = answer, True, [], False

    def send(self, request, processed):
        if self.ready:
            self.asked.append(request)
            processed(self.answer(request))
        return self.ready


@pytest.fixture
def system(ros, monkeypatch):
    """The node, the attached objects of its scene, and its payload service."""
    objects, known = [], {"hand", "foot"}

    def scene(request):
        state = Message(attached_collision_objects=list(objects))
        return Message(scene=Message(robot_state=state))

    def payload(request):
        response = SetPayload.Response(success=request.link in known)
        if not response.success:
            response.error_code = response.UNKNOWN_NAME
            response.error_message = f"no link '{request.link}'"
        return response

    services = [Service(scene), Service(payload)]
    components = Message(components=0, ROBOT_STATE_ATTACHED_OBJECTS=4)
    asking = Message(Request=lambda: Message(components=components))
    monkeypatch.setattr(module, "_messages", lambda: (String, String, asking))
    monkeypatch.setattr(module, "Calls", lambda client: services.pop(0))
    monkeypatch.setattr(MoveitPayloadNode, "create_client", lambda *arguments: None)
    scenes, payloads = services
    masses = Parameter("object_masses", value=["box=0.5", "drill=2"])
    # no name of another test's node: DDS knows that one for seconds after its end
    name = Parameter("set_payload", value="moveit_test/set_payload")
    node = MoveitPayloadNode(parameter_overrides=[masses, name])
    yield Message(node=node, objects=objects, scenes=scenes, payloads=payloads, known=known)
    node.destroy_node()


def sent(system):
    """Links and masses of the payloads since the last call."""
    loads = [(request.link, round(request.inertia.m, 9)) for request in system.payloads.asked]
    system.payloads.asked.clear()
    return loads


def difference(*objects, joints=()):
    """A moveit_msgs/PlanningScene that is a difference."""
    state = Message(attached_collision_objects=list(objects), joint_state=list(joints))
    return Message(is_diff=True, robot_state=state, world=Message(collision_objects=[]))


def test_payloads_follow_what_is_attached(system):
    node, objects = system.node, system.objects
    objects.append(attached("box", "hand", (CUBE, HERE)))
    node._on_scene(difference(*objects))
    assert sent(system) == [("hand", 0.5)]
    node._look()
    assert sent(system) == []  # it is in force
    objects += [attached("drill", "hand", (CUBE, HERE)), attached("box", "foot", (CUBE, HERE))]
    node._look()
    assert sent(system) == [("hand", 2.5), ("foot", 0.5)]
    del objects[:2]
    node._look()
    assert sent(system) == [("hand", 0.0)]
    assert not node.log.current()


def test_a_request_without_an_answer_leaves_the_payload_unknown(system):
    """Whoever was asked may carry it out later."""
    node, objects, answer = system.node, system.objects, system.payloads.answer
    system.payloads.send = lambda request, processed: bool(system.payloads.asked.append(request)) or True
    objects.append(attached("box", "hand", (CUBE, HERE)))
    node._look()
    assert sent(system) == [("hand", 0.5)]
    del system.payloads.send, objects[:]
    system.payloads.answer = answer
    node._look()
    assert sent(system) == [("hand", 0.0)]


def test_messages_about_joints_alone_ask_for_nothing(system):
    system.node._on_scene(difference(joints=["elbow"]))
    assert not system.scenes.asked
    whole = difference()
    whole.is_diff = False
    system.node._on_scene(whole)
    assert len(system.scenes.asked) == 1
    assert system.scenes.asked[0].components.components == 4


def test_a_dynamics_node_that_comes_back_gets_all_again(system):
    node, objects = system.node, system.objects
    objects.append(attached("box", "hand", (CUBE, HERE)))
    node._look()
    assert sent(system) == [("hand", 0.5)]
    system.payloads.ready = False
    del objects[:]
    objects.append(attached("drill", "foot", (CUBE, HERE)))
    node._look()
    assert "no answer from dynamics_node" in node.log.current()[0]
    system.payloads.ready = True
    node._on_transition(None)  # it is activated
    node._look()
    # a file may have kept the old payload
    assert sent(system) == [("hand", 0.0), ("foot", 2.0)]
    node._look()
    assert sent(system) == []
    node._on_transition(None)
    node._look()
    assert sent(system) == [("foot", 2.0)]


def test_a_refused_payload_spoils_no_other_and_is_not_sent_each_second(system, monkeypatch):
    node, now = system.node, [1e3]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    system.objects += [attached("box", "tail", (CUBE, HERE)), attached("drill", "foot", (CUBE, HERE))]
    node._look()
    assert sent(system) == [("tail", 0.5), ("foot", 2.0)]
    assert "no link 'tail'" in node.log.current()[0]
    node._look()
    assert sent(system) == []
    now[0] += module.TRY_AGAIN + 1.0
    system.known.add("tail")
    node._look()
    assert sent(system) == [("tail", 0.5)]


@pytest.mark.skipif(find_spec("moveit_msgs") is not None, reason="moveit_msgs is installed")
def test_without_moveit_msgs_one_line_says_so():
    done = run_python("-m", "modular_dynamics_ros", "moveit_payload_node", timeout=60)
    assert done.returncode == 1
    assert "moveit_msgs cannot be imported" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_load_as_a_request():
    moments = np.array([[3.0, 0.1, 0.2], [0.1, 4.0, 0.3], [0.2, 0.3, 5.0]])
    message = payload_request("hand", Load(2.0, np.array([0.1, 0.2, 0.3]), moments)).inertia
    assert (message.m, message.com.x, message.com.y, message.com.z) == (2.0, 0.1, 0.2, 0.3)
    six = message.ixx, message.ixy, message.ixz, message.iyy, message.iyz, message.izz
    assert six == (3.0, 0.1, 0.2, 4.0, 0.3, 5.0)
    removal = payload_request("hand", None)
    assert (removal.link, removal.inertia.m) == ("hand", 0.0)
