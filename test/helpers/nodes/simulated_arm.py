"""What takes dynamics_node's torques where ros2_control is not installed: controller and simulated arm."""

import numpy as np
from rclpy.node import Node
from rclpy.qos import qos_profile_system_default
from std_msgs.msg import Float64MultiArray

import modular_dynamics as md


class ForwardController(Node):
    """As forward_command_controller of Jazzy with interface effort: the last good command stays in force.

    Attributes:
        commands: how many have come. command: by joint [N m]; empty before the first one.
    """

    def __init__(self, joints):
        super().__init__("effort_controller")
        self.joints, self.commands, self.command = list(joints), 0, {}
        self.create_subscription(
            Float64MultiArray, "~/commands", self._on_command, qos_profile_system_default
        )

    def _on_command(self, message):
        if not np.isfinite(message.data).all():
            return  # dropped, as there
        assert len(message.data) == len(self.joints)  # there an error in each cycle
        self.command = dict(zip(self.joints, message.data, strict=True))
        self.commands += 1


class SimulatedArm:
    """Joints that efforts move, by the library's forward dynamics; time in steps of `period` [s].

    Attributes:
        q, v: positions and velocities in the graph's order.
    """

    PARTS = 8  # of a period, each a step of the semi-implicit Euler method

    def __init__(self, graph, q, period):
        self._graph, self._step = graph, period / self.PARTS
        self.q, self.v = np.array(q, float), np.zeros(graph.nv)

    def advance(self, effort):
        """One period with constant efforts [N m]."""
        for _ in range(self.PARTS):
            self.v = self.v + self._step * md.forward_dynamics(self._graph, self.q, self.v, effort)
            self.q = self.q + self._step * self.v
