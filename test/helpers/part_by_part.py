"""The torques of a robot, subsystem by subsystem: motions outward, wrenches inward."""

import numpy as np

from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.subsystem.computation import SubsystemComputation
from modular_dynamics_ros.computation.subsystem.part import subsystem_part
from modular_dynamics_ros.computation.values import ComputationSettings


class PartByPart:
    """One computation per subsystem; of black boxes there is none.

    Attributes:
        parts: by name. motions: of connection points, at the last state. wrenches: by name, at and in the
        link that carries the connection point.
    """

    def __init__(self, urdf, partition="", settings=None):
        self.robot = load_robot(urdf, partition)
        self.graph = self.robot.graph
        self.parts = {
            one.name: SubsystemComputation(
                subsystem_part(self.robot, one.name), settings or ComputationSettings()
            )
            for one in self.graph.subsystems
            if not one.black_box
        }
        self.names = [name for part in self.parts.values() for name in part.robot.state_names]
        self.motions, self.wrenches = {}, {}

    def torques(self, q, v, a, given=None):
        """Return torques by joint, of q, v and a by joint; `given`: wrenches of black boxes."""
        self.motions = {name: part.own_motion for name, part in self.parts.items() if part.own_motion}
        self.wrenches, moved, torques = dict(given or {}), {}, {}
        for name, part in self.parts.items():  # in topological order
            at = [np.array([values[joint] for joint in part.robot.state_names]) for values in (q, v, a)]
            state = part.observe(1, at[0], at[1])._replace(a=at[2])
            moved[name] = part.move(state, self.motions[name])
            self.motions |= moved[name].outgoing
        for name, part in reversed(self.parts.items()):
            carried = {one.subsystem: self.wrenches[one.subsystem] for one in part.part.successors}
            answer = part.answer(moved[name], carried)
            self.wrenches[name] = answer.dynamics.base_wrench
            torques |= dict(zip(part.robot.state_names, answer.effort.tolist(), strict=True))
        return torques
