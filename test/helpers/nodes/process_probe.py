"""A node that sends joint states to a dynamics_node in a process of its own, and keeps its torques."""

import time

from rclpy.node import Node
from sensor_msgs.msg import JointState

from examples.demo.playing import SETTLING
from examples.demo.processes import Processes
from helpers.nodes.waiting import SpunNodes

NODE = "dynamics_node"


class ProcessProbe(SpunNodes):
    """A publisher of joint states.

    Attributes:
        processes: of nodes, with their logs in a folder. efforts: of all answers.
    """

    def __init__(self, folder):
        self.node, self.efforts = Node("probe"), []
        super().__init__(self.node)
        self.processes = Processes(folder)
        self.states = self.node.create_publisher(JointState, "joint_states", 10)
        listen = self.node.create_subscription
        listen(JointState, f"{NODE}/joint_torques", lambda one: self.efforts.append(one.effort), 1000)

    def spin_until(self, reached, what="a condition", so_far=None):
        super().spin_until(reached, what, so_far or self._process)

    def _process(self):
        """Return what has become of dynamics_node, for the text of a failure."""
        if NODE not in self.processes._running:
            return ""
        return f"; {NODE}: exit code {self.processes.code(NODE)}, its log:\n{self.processes.log(NODE)}"

    def close(self):
        """Leave the ROS graph before the node does: see `examples.demo.playing.destroy`."""
        running = NODE in self.processes._running
        if not running or self.processes.code(NODE) is not None:
            time.sleep(SETTLING)
        super().close()
        if running:
            self.processes.end(NODE)
