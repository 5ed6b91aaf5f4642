"""torso_reaction_node in a namespace of its own, and joint states for it."""

import time
from typing import Any

import numpy as np
from modular_dynamics_interfaces.msg import TorsoReactions
from sensor_msgs.msg import JointState

import modular_dynamics as md
from helpers.paths import ROBOTS, ROOT
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds
from modular_dynamics_ros.player import load_profile
from robustness.harness.target import Target

__all__ = ["Torso"]

RATE = 20.0  # [Hz]
KEPT = 200  # states that may still be answered


class Torso:
    """The node under test beside dynamics_node.

    Its robot has closed loops, which Pinocchio's model of a tree has not. Actuator forces are compared
    with the library's, whose agreement with MuJoCo the library's own tests show.

    Attributes:
        processes: names.
    """

    processes = ("torso",)

    def __init__(self, target: Target) -> None:
        self._target, self._graph = target, md.load_urdf(ROBOTS / "charmie_torso.urdf")
        self._motion = load_profile(ROOT / "config/charmie_torso_motion.yaml")
        self._states: dict[int, Any] = {}
        self._right = self._last = 0
        node = target.node
        node.create_subscription(
            TorsoReactions, "/torso/torso_reaction_node/reactions", self._on_reactions, 100
        )
        self._publisher = node.create_publisher(JointState, "/torso/joint_states", 100)
        files = "robot_description_file:={}.urdf", "rules_file:={}_rules.yaml"
        parameters = (file.format(ROBOTS / "charmie_torso") for file in files)
        target.start(*parameters, kind="torso_reaction_node", name="torso", namespace="torso")
        self._timer = node.create_timer(1.0 / RATE, self._on_timer)

    def answers(self) -> bool:
        """Whether it has answered."""
        return self._right > 0

    def finish(self) -> None:
        """End the node."""
        self._target.node.destroy_timer(self._timer)
        self._target.end("torso")

    def _on_timer(self) -> None:
        stamp = time.time_ns()
        q, v, _ = self._motion.sample(stamp * 1e-9 % 2.0)
        message = JointState(name=list(self._motion.joint_names), position=q.tolist(), velocity=v.tolist())
        message.header.stamp = stamp_message(stamp)
        order = [self._motion.joint_names.index(name) for name in self._graph.independent_joint_names]
        self._states[stamp] = q[order], v[order]
        if len(self._states) > KEPT:
            del self._states[min(self._states)]
        self._target.tally.tried += 1
        self._publisher.publish(message)

    def _on_reactions(self, message: TorsoReactions, info: dict[str, Any]) -> None:
        tally, stamp = self._target.tally, stamp_nanoseconds(message.header.stamp)
        state = self._states.get(stamp)
        if state is None or stamp < self._last:
            tally.found_wrong(f"reactions of the stamp {stamp}, which was not sent or is older than the last")
            return
        self._last = stamp
        torques = md.inverse_dynamics(self._graph, *state, np.zeros(len(state[0])))
        named = dict(zip(self._graph.independent_joint_names, torques, strict=True))
        worst = max((abs(one.force - named[one.name]) for one in message.actuators), default=np.inf)
        scale = max(1.0, *np.abs(torques))
        if not worst <= 1e-9 * scale:
            tally.found_wrong(f"actuator forces at {stamp} differ by {worst:g} of {scale:g}")
            return
        self._right += 1
        tally.right += 1
