"""500 joint states a second beside a hail of bad changes, or of queries: all are answered, and rightly."""

import threading
import time
from contextlib import closing
from xml.etree import ElementTree

import numpy as np
import pinocchio
import pytest
from geometry_msgs.msg import WrenchStamped
from modular_dynamics_interfaces.msg import RobotState
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from examples.demo.processes import Processes
from helpers.changed_robots import remove_subtree
from helpers.nodes import asking
from helpers.nodes.changes import changing
from helpers.nodes.changes.bad_changes import bad_changes
from helpers.nodes.waiting import SpunNodes
from helpers.paths import ROBOTS
from helpers.random_examples.examples import rounds
from modular_dynamics_ros.lifecycle.entities import ANSWER_DEPTH
from modular_dynamics_ros.messages.geometry import WrenchWriter
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]

NODE = "dynamics_node"
PERIOD = 0.002  # [s] of joint states
#: Enough for each answer where other tests have the processor: what is counted here is that none is lost.
STALE = 30.0  # [s]
PATIENCE = 30.0  # [s] for the last answers
MOST_AHEAD = ANSWER_DEPTH - 20  # states that are not answered yet: no queue on the way holds fewer
LONGEST = 1050  # characters of a message: 1000, and how long it was
RESEND = 2.0  # [s]: the middleware may lose the answer to the first request of a client
WAITING = 20  # requests at once
#: By default a client keeps ten requests, and ten answers: DDS would drop what is above without a word.
KEEPING_ALL = QoSProfile(depth=WAITING, reliability=ReliabilityPolicy.RELIABLE)
#: [N, N m] What the robot exerts on its black box, at and in the frame of the link that carries it.
WRENCH, FRAME, BOX = np.array([3.0, -4.0, 5.0, 0.6, -0.7, 0.8]), "upper_stem", "right_branch"
EVERY = 50  # joint states between two wrenches
PARTITION = f"""version: 1
subsystems:
  - {{name: stem, joints: [turn, bend]}}
  - {{name: left_branch, joints: [left]}}
  - {{name: {BOX}, root_link: {BOX}, black_box: true}}
"""


class Oracle:
    """Pinocchio's torques of a robot; a black box exerts the opposite of WRENCH on the link of 'bend'."""

    def __init__(self, robot, boxed):
        root = ElementTree.fromstring((ROBOTS / f"{robot}.urdf").read_text())
        for tag in root.findall("modular_dynamics"):
            root.remove(tag)
        if boxed:
            remove_subtree(root, BOX)
        self.boxed = boxed
        self.model = pinocchio.buildModelFromXML(ElementTree.tostring(root, "unicode"))
        self.data, self.names = self.model.createData(), list(self.model.names)[1:]

    def state_at(self, stamp):
        """Positions and velocities at a stamp [ns]; at any time a joint is faster than 0.7 rad/s."""
        phase = 2.0 * (stamp % 10**12) * 1e-9 + 0.5 * np.pi * np.arange(len(self.names))
        return 0.5 * np.sin(phase), np.cos(phase)

    def torques(self, stamp):
        q, v = self.state_at(stamp)
        forces = [pinocchio.Force.Zero() for _ in self.model.joints]
        if self.boxed:
            forces[self.model.getJointId("bend")] = pinocchio.Force(-WRENCH)
        # pinocchio has cosine and sine of a continuous joint, 'turn', in its configuration
        position = pinocchio.integrate(self.model, pinocchio.neutral(self.model), q)
        tau = pinocchio.rnea(self.model, self.data, position, v, np.zeros(len(v)), forces)
        return dict(zip(self.names, tau.tolist(), strict=True))


class Robot(SpunNodes):
    """Publishes joint states in a thread of its own, keeps the answers, and sends requests.

    It waits for a node that has less of the machine than it needs, before a queue overflows.
    """

    def __init__(self, oracle):
        self.node, self.oracle, self.sent, self.answers = Node("robot"), oracle, [], {}
        super().__init__(self.node)
        self.ended, self.newest = threading.Event(), 0  # stamp of the last answer [ns]: they never go back
        self.states = self.node.create_publisher(JointState, "joint_states", 1000)
        self.wrenches = self.node.create_publisher(WrenchStamped, f"{NODE}/black_box/{BOX}/wrench", 10)
        self.node.create_subscription(JointState, f"{NODE}/joint_torques", self.hear, 10_000)
        self.thread = threading.Thread(target=self.publish_all)

    def hear(self, message):
        self.newest = stamp_nanoseconds(message.header.stamp)
        self.answers[self.newest] = message

    def publish_all(self):
        writer, due = WrenchWriter(), time.monotonic()
        while not self.ended.is_set():
            stamp = time.time_ns()
            if self.oracle.boxed and len(self.sent) % EVERY == 0:
                self.wrenches.publish(writer.write(stamp_message(stamp), FRAME, WRENCH))
            q, v = self.oracle.state_at(stamp)
            message = JointState(name=self.oracle.names, position=q.tolist(), velocity=v.tolist())
            message.header.stamp = stamp_message(stamp)
            self.states.publish(message)
            self.sent.append(stamp)
            due = max(due + PERIOD, time.monotonic())
            time.sleep(max(0.0, due - time.monotonic()))
            deadline = time.monotonic() + PATIENCE
            while self.newest and self.sent[-MOST_AHEAD:][0] > self.newest and time.monotonic() < deadline:
                time.sleep(PERIOD)

    def hail(self, requests, services):
        """Send (service, request, code, words of the answer); return which services were asked."""
        clients = {
            name: self.client(kind, f"{NODE}/{name}", qos_profile=KEEPING_ALL)
            for name, kind in services.items()
        }
        for name, client in clients.items():
            self.connect(client, services[name])
        requests = list(requests)
        for first in range(0, len(requests), WAITING):
            batch = requests[first : first + WAITING]
            futures = [clients[name].call_async(one) for name, one, _, _ in batch]
            for (name, _, code, words), future in zip(batch, futures, strict=True):
                self.spin_until(future.done, f"an answer of {name}, {code}, {words}")
                judge(name, code, words, future.result())
        return {name for name, *_ in requests}

    def connect(self, client, kind):
        """Wait until the client has got an answer: what an empty request asks changes nothing."""
        futures, due = [], 0.0

        def heard():
            nonlocal due
            if time.monotonic() > due:
                futures.append(client.call_async(kind.Request()))
                due = time.monotonic() + RESEND
            return any(future.done() for future in futures)

        self.spin_until(heard, f"an answer of {client.srv_name}")


def judge(name, code, words, answer):
    """Whether this is the expected answer, and a refusal names the offender on one line that has an end."""
    text = answer.error_message
    shown = name, code, words, answer.error_code, text
    assert answer.error_code == getattr(answer, code), shown
    assert answer.success == (code == "NONE") == (not text), shown
    assert words in text, shown
    assert text.isprintable(), shown
    assert len(text) <= LONGEST, (len(text), shown)


def queries(names):
    """Each service some times, one of them about ten thousand points; test_queries.py has what is refused."""
    trajectory = JointTrajectory(joint_names=names)
    for k in range(10_000):
        q = (0.1 * np.sin(0.01 * k + np.arange(len(names)))).tolist()
        point = JointTrajectoryPoint(positions=q, velocities=[0.0] * len(q))
        point.time_from_start.sec, point.time_from_start.nanosec = divmod(k * 10_000_000, 1_000_000_000)
        trajectory.points.append(point)
    given = {"state": RobotState(joint_names=names, positions=[0.0] * len(names)), "link": "world"}
    given["trajectory"] = trajectory
    for name, kind in [*asking.SERVICES.items()] * 3:
        fields = given.keys() & kind.Request.get_fields_and_field_types()
        yield name, kind.Request(**{field: given[field] for field in fields}), "NONE", ""


def changes(folder):
    for name, fields, code, words in bad_changes(folder):
        yield name, changing.request(changing.SERVICES[name], **dict(fields)), code, words


@pytest.mark.parametrize(
    ("kind", "name", "tolerance"),  # [N m] from Pinocchio's torques: both add up in different orders
    [("changes", "four_link", 1e-12), ("queries", "charmie", 1e-10)],
)
def test_all_states_are_answered_and_all_requests_as_they_should_be(tmp_path, kind, name, tolerance):
    oracle, boxed = Oracle(name, kind == "changes"), kind == "changes"
    (tmp_path / "partition.yaml").write_text(PARTITION)
    parameters = [f"robot_description_file:={ROBOTS / name}.urdf", f"stale_after:={STALE}", "autostart:=true"]
    parameters += [f"partition_file:={tmp_path / 'partition.yaml'}"] * boxed
    with Processes(tmp_path) as processes, closing(Robot(oracle)) as robot:
        processes.start(NODE, *parameters)
        robot.thread.start()
        try:
            robot.spin_until(lambda: len(robot.answers) > 100, "the first answers")
            first, services = robot.newest, (changing if boxed else asking).SERVICES
            for _ in range(rounds(2, daily=1)):
                requests = changes(tmp_path) if boxed else queries(oracle.names)
                assert robot.hail(requests, services) == {*services}
        finally:
            robot.ended.set()
            robot.thread.join()
        sent, deadline = [stamp for stamp in robot.sent if stamp > first], time.monotonic() + PATIENCE
        robot.spin_until(lambda: {*sent} <= robot.answers.keys() or time.monotonic() > deadline)
        assert [k for k, stamp in enumerate(sent) if stamp not in robot.answers] == []
        assert processes.end(NODE) == 0
    for stamp, message in robot.answers.items():
        effort = dict(zip(message.name, message.effort, strict=True))
        assert effort == pytest.approx(oracle.torques(stamp), rel=0.0, abs=tolerance)
