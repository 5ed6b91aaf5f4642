"""dynamics_node's way from joint states to torques, over recorded messages: reading, merging, answering.

The classes are the node's own. What a node has and a bag has not is left out: a queue in which messages wait,
a rate, the comparison with Pinocchio, what is published while the input is stale, and robots that were
replaced: a new description counts from where it stands in the bag.
"""

from array import array
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import modular_dynamics as md
from modular_dynamics.motions.filtered import longest_interval
from modular_dynamics_ros.bag.awaited import AwaitedJoints
from modular_dynamics_ros.bag.efforts import MeasuredEfforts
from modular_dynamics_ros.bag.inputs import RecordedInputs
from modular_dynamics_ros.bag.recorded_node import RecordedNode, stamp_of
from modular_dynamics_ros.computation.black_boxes.offsets_file import stored_offsets
from modular_dynamics_ros.computation.computation import Answer, Computation
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.values import State
from modular_dynamics_ros.dynamics.settings import dynamics_settings
from modular_dynamics_ros.exceptions import BadMessage, RobotError, SettingError
from modular_dynamics_ros.node.answer_record import AnswerRecord
from modular_dynamics_ros.node.joint_states import JointStates
from modular_dynamics_ros.node.settings import given_positions
from modular_dynamics_ros.parameters.dynamics import DynamicsParameters

__all__ = ["Replay", "Result", "load"]


class Result(NamedTuple):
    """An answer, and measured less computed efforts (m,) of the robot's `joint_names`, NaN: unknown."""

    answer: Answer
    residual: NDArray[np.float64]


def load(description: str, parameters: DynamicsParameters, *, topic: str = "") -> Computation:
    """Read a robot as dynamics_node does.

    Args:
        description: path or, of a topic, text. topic: empty: it is a path, and xacro may be expanded.

    Raises:
        RobotError: it cannot be used.
    """
    p = parameters
    if p.gravity_source == "imu":
        raise RobotError(
            "gravity_source 'imu' is not read from bags; give the gravity in the root link's frame"
        )
    if (p.acceleration_source, p.reference_type) == ("reference", "controller_state"):
        raise RobotError(
            "reference_type 'controller_state' is not read from bags; take another acceleration_source"
        )
    try:
        robot = load_robot(
            description,
            p.partition_file,
            p.gravity,
            () if topic else p.xacro_arguments,
            "odometry" if p.floating_base else "",
            frame_prefix=p.frame_prefix,
            strict=p.strict,
        )
    except RobotError as error:
        if not topic or isinstance(error, SettingError):
            raise
        raise RobotError(f"robot of the topic '{topic}': {error}; --robot FILE replaces it") from error
    computation = Computation(robot, dynamics_settings(p))
    computation.wrenches.offsets = stored_offsets(p.offsets_file)
    return computation


class RecordedAccelerations:
    """Accelerations of joints from all velocities of a recording, which no filter needs to delay.

    Joints are filtered on their own stamps: publishers of different joints have different ones. A gap begins
    a new part, since nothing is known of the motion in it.

    Args:
        cutoff: [Hz].
    """

    def __init__(self, cutoff: float) -> None:
        self._cutoff = cutoff
        self._samples: dict[str, tuple[array[int], array[float]]] = {}
        self._parts: dict[str, list[tuple[NDArray[np.int64], NDArray[np.float64]]]] = {}

    def add(self, message: Any) -> None:
        """Add the velocities of a joint state; without stamp or velocities it is ignored."""
        if (stamp := stamp_of(message)) and len(message.velocity) == len(message.name):
            for name, velocity in zip(message.name, message.velocity, strict=True):
                if np.isfinite(velocity):
                    stamps, velocities = self._samples.setdefault(name, (array("q"), array("d")))
                    stamps.append(stamp)
                    velocities.append(velocity)

    def at(self, stamp: int, names: tuple[str, ...]) -> NDArray[np.float64]:
        """Return the accelerations of these joints at a stamp [ns].

        Raises:
            BadMessage: they are not known there.
        """
        return np.array([self._at(stamp, name) for name in names])

    def _at(self, stamp: int, name: str) -> float:
        if name not in self._parts:
            self._parts[name] = self._filtered(name)
        for stamps, accelerations in self._parts[name]:
            if stamps[0] <= stamp <= stamps[-1]:
                return float(
                    np.interp((stamp - stamps[0]) * 1e-9, (stamps - stamps[0]) * 1e-9, accelerations)
                )
        text = (
            f"no acceleration of '{name}': the zero-phase filter needs velocities during "
            f"{1.0 / self._cutoff:g} s, one every {longest_interval(self._cutoff):g} s"
        )
        raise BadMessage("unfit for the filter", text)

    def _filtered(self, name: str) -> list[tuple[NDArray[np.int64], NDArray[np.float64]]]:
        """Return the filtered parts of a joint's record between gaps, if they are long enough."""
        stamps, velocities = map(np.array, self._samples.get(name, (array("q"), array("d"))))
        stamps, last = np.unique(stamps[::-1], return_index=True)  # the last of equal stamps is used
        velocities = velocities[::-1][last]
        gaps = np.flatnonzero(np.diff(stamps) * 1e-9 > longest_interval(self._cutoff)) + 1
        parts = []
        for own, v in zip(np.split(stamps, gaps), np.split(velocities, gaps), strict=True):
            try:
                a = md.filtered_accelerations((own - own[:1]) * 1e-9, v=v, cutoff=self._cutoff)
            except md.StateError:  # the part is too short
                continue
            parts.append((own, a))
        return parts


class Replay:
    """One robot and its recorded joint states.

    Attributes:
        record, awaited: what became of the joint states. inputs: takes all other messages.

    Args:
        recorded: accelerations that take the place of the node's.

    Raises:
        RobotError: a parameter contradicts the robot.
    """

    def __init__(
        self,
        node: RecordedNode,
        computation: Computation,
        parameters: DynamicsParameters,
        name: str,
        recorded: RecordedAccelerations | None = None,
    ) -> None:
        self._node, self.computation, self.robot = node, computation, computation.robot
        if node.record is None:
            node.record = AnswerRecord(node, lambda: parameters.stale_after)
            node.record.clock = node.clock
        self.record = node.record
        self.awaited = AwaitedJoints()
        if recorded is not None:
            names = self.robot.state_names
            computation.accelerations.recorded = lambda stamp: recorded.at(stamp, names)
        given = given_positions(parameters.absent_joints, self.robot.state_names)
        self._states = JointStates(node, computation, self._answer, self.record, given)  # type: ignore[arg-type]
        self._efforts = MeasuredEfforts(self.robot)
        self.inputs = RecordedInputs(node, computation, name)
        self._last: Answer | None = None
        self._result: Result | None = None

    def continue_from(self, other: "Replay") -> None:
        """Take over the state of another robot, which this robot replaces in the bag."""
        self.awaited.continue_from(other.awaited)
        self.inputs.refused = other.inputs.refused
        self.computation.continue_from(other.computation)
        self.computation.wrenches.links.fixed = other.computation.wrenches.links.fixed

    def receive(self, message: Any, arrival: int) -> Result | None:
        """Return the answer to a joint state; None if it gets none, which `record` counts.

        Args:
            arrival: by the bag's clock [ns].
        """
        self._result, incomplete = None, self.record.counts.incomplete
        self._efforts.add(message, stamp_of(message) or arrival)
        info = {"source_timestamp": 0, "received_timestamp": arrival}
        self._states.receive(message, info)
        missing = self.record.missing if self.record.counts.incomplete > incomplete else ()
        self.awaited.add(message.name, missing, answered=self._result is not None)
        return self._result

    def _answer(self, state: State, arrival: int) -> None:
        now = self._node.now()
        answer = self.computation.compute(state, now, self._last, self.record.last)
        self._last = answer
        self.record.answered(answer, arrival, now, self.computation.settings.closure_tolerance)
        measured = self._efforts.at(state.stamp, self.computation.settings.stale_after)
        self._result = Result(answer, measured - answer.effort[self.robot.published])
