"""A node that receives all topics of torso_reaction_node, and sends states."""

from collections.abc import Sequence

import numpy as np
from geometry_msgs.msg import WrenchStamped
from modular_dynamics_interfaces.msg import TorsoReactions
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from visualization_msgs.msg import MarkerArray

import modular_dynamics as md
from helpers.nodes.node_probe import DEPTH, NodeProbe
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds

NODE = "torso_reaction_node"


class ReactionProbe(NodeProbe):
    """As `NodeProbe`.

    Attributes:
        springs: joint states. reactions: TorsoReactions. arrivals: of the reactions [ns]. wrenches: joint ->
        stamp -> message. efforts, markers: in order.

    Args:
        joints: whose wrenches are heard. everything: also springs, commands and markers.
    """

    def __init__(self, graph: md.SubsystemGraph, *joints: str, everything: bool = True) -> None:
        super().__init__(graph, "reaction_probe", NODE)
        self.springs: dict[int, JointState] = {}
        self.reactions: dict[int, TorsoReactions] = {}
        self.arrivals: dict[int, int] = {}
        self.wrenches: dict[str, dict[int, WrenchStamped]] = {name: {} for name in joints}
        self.efforts: list[Float64MultiArray] = []
        self.markers: list[MarkerArray] = []
        self.listen(TorsoReactions, f"{NODE}/reactions", self._on_reactions, DEPTH)
        if everything:
            self.listen(JointState, f"{NODE}/springs", self.keep(self.springs), DEPTH)
            self.listen(Float64MultiArray, f"{NODE}/effort_commands", self.efforts.append, DEPTH)
            self.listen(MarkerArray, f"{NODE}/markers", self.markers.append, DEPTH)
        for name, kept in self.wrenches.items():
            self.listen(WrenchStamped, f"{NODE}/joints/{name}/wrench", self.keep(kept), DEPTH)

    def _on_reactions(self, message: TorsoReactions, info: dict) -> None:
        stamp = stamp_nanoseconds(message.header.stamp)
        self.reactions[stamp], self.arrivals[stamp] = message, info["received_timestamp"]

    def send(self, q: Sequence[float], names: tuple[str, ...] = ()) -> int:
        """Publish a state at rest, of the independent joints unless others are named; its stamp."""
        return self.publish(names or self.graph.independent_joint_names, q, np.zeros(len(q)))

    def vectors(self, stamp: int) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities of the independent joints in the state of this stamp."""
        message = self.states[stamp]
        order = [message.name.index(name) for name in self.graph.independent_joint_names]
        return np.array(message.position)[order], np.array(message.velocity)[order]
