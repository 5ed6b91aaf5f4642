"""dynamics_node and a node that talks to it, in this process."""

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import WrenchStamped
from modular_dynamics_interfaces.msg import SubsystemGraph
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String
from trajectory_msgs.msg import JointTrajectory

import modular_dynamics as md
from helpers.nodes.waiting import SpunNodes
from modular_dynamics_ros.dynamics.node import DynamicsNode
from modular_dynamics_ros.lifecycle.entities import LATCHED
from modular_dynamics_ros.lifecycle.node import SUCCESS
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds

NAMES = ["turn", "bend", "left", "right"]
Q, V = np.array([0.3, -0.5, 0.7, 0.2]), np.array([1.0, -2.0, 0.5, 0.1])


class Harness(SpunNodes):
    """dynamics_node and a node that talks to it, in one executor.

    stale_after is long unless it is given: on a busy machine states arrive late.
    """

    def __init__(self, **parameters):
        given = {"stale_after": 30.0} | parameters
        self.node = DynamicsNode(parameter_overrides=[Parameter(k, value=v) for k, v in given.items()])
        self.probe = Node("probe")
        super().__init__(self.node, self.probe)
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

    def start(self):
        """Configure and activate the node."""
        assert self.node.trigger_configure() == SUCCESS
        assert self.node.trigger_activate() == SUCCESS
        return self

    def activate(self):
        """The same, and wait until all topics are connected."""
        return self.start().connect()

    def connect(self):
        """Publish states until one is processed: then all topics are connected."""
        self.spin_until(lambda: all(x.get_subscription_count() for x in (self.states, self.reference)))

        def processed():
            self.send()
            return self.torques and self.efforts and self.wrenches

        if self.node.parameters.acceleration_source == "zero" and self.node.session is not None:
            self.spin_until(processed)
        # answers may still be on their way; `answer` looks for its own stamp
        return self

    def send(self, names=NAMES, q=Q, v=V, stamp=None, effort=(), frame=""):
        numbers = {"position": q, "velocity": v, "effort": effort}
        message = JointState(name=list(names), **{k: [float(x) for x in of] for k, of in numbers.items()})
        message.header.stamp = stamp_message(self.node.now() if stamp is None else stamp)
        message.header.frame_id = frame
        self.states.publish(message)
        return stamp_nanoseconds(message.header.stamp)

    def torque_of(self, stamp):
        return next((m for m in self.torques if stamp_nanoseconds(m.header.stamp) == stamp), None)

    def answer(self, **state):
        stamp = self.send(**state)
        self.spin_until(lambda: self.torque_of(stamp) is not None)
        return self.torque_of(stamp)

    def answer_when_connected(self, **state):
        """The first answer to a state that is sent until one comes: topics may still be connecting."""
        stamps = []

        def processed():
            stamps.append(self.send(**state))
            return any(map(self.torque_of, stamps))

        self.spin_until(processed)
        return next(filter(None, map(self.torque_of, stamps)))

    def status(self, part, condition=lambda status: True, meanwhile=lambda: None):
        """The next status of a part that fulfils the condition."""
        first = len(self.diagnostics)

        def matching():
            meanwhile()
            statuses = (status for message in self.diagnostics[first:] for status in message.status)
            return [status for status in statuses if status.name.endswith(part) and condition(status)]

        self.spin_until(matching)
        return matching()[0]

    def said(self, words, capfd, meanwhile=lambda: None):
        """What was printed until these words came."""
        log = ""

        def printed():
            nonlocal log
            log += capfd.readouterr().err
            meanwhile()
            return words in log

        self.spin_until(printed)
        return log


def expected(graph_path, q=Q, v=V, a=(0.0, 0.0, 0.0, 0.0), **more):
    return md.inverse_dynamics(md.load_urdf(graph_path), np.array(q), np.array(v), np.array(a), **more)
