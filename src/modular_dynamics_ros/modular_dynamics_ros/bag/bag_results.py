"""What was computed, as a new bag: a folder with MCAP, messages of standard types only."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modular_dynamics_ros.bag.replay import Result
from modular_dynamics_ros.bag.writing import written_to
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.exceptions import BagError
from modular_dynamics_ros.node.topic_names import topic_names

__all__ = ["RESIDUALS", "TORQUES", "BagResults", "wrench_topic"]

Array = NDArray[np.float64]
TORQUES, RESIDUALS = "joint_torques", "torque_residuals"
JOINT_STATE, WRENCH = "sensor_msgs/msg/JointState", "geometry_msgs/msg/WrenchStamped"


def wrench_topic(part: str) -> str:
    """Return the wrench topic of a subsystem, named as dynamics_node does; `part`: its part of the name."""
    return f"connections/{part}/wrench"


class BagResults:
    """Topics as dynamics_node publishes them, below its name; and NODE/torque_residuals.

    Messages keep the stamps of the joint states, and were recorded when those were.

    Args:
        node: name of the node, as /dynamics_node. path: of the folder, which must not exist.

    Raises:
        BagError: it cannot be written.
    """

    def __init__(self, path: str, node: str) -> None:
        from rosbags.rosbag2 import StoragePlugin, Writer  # noqa: PLC0415  # only bags need it
        from rosbags.typesys import Stores, get_typestore  # noqa: PLC0415

        if Path(path).exists():
            raise BagError(f"--bag {path}: something is there already; give the name of a new folder")
        self.path, self._node, self._store = path, node, get_typestore(Stores.ROS2_JAZZY)
        self._types = self._store.types
        self._writer: Any = Writer(Path(path), version=9, storage_plugin=StoragePlugin.MCAP)
        self._writer.open()
        self._connections: dict[tuple[str, str], Any] = {}

    def begin(self, robot: Robot) -> None:
        """See `Results`."""
        self._robot = robot
        self._names = list(robot.joint_names)
        parts = topic_names("subsystem", [one.name for one in robot.graph.subsystems])
        self._parts = list(parts.values())

    def write(self, result: Result, recorded: int) -> None:
        """See `Results`."""
        answer, robot = result.answer, self._robot
        state, chosen = answer.state, robot.published
        torques = self._joint_state(
            state.stamp, self._names, state.q[chosen], state.v[chosen], answer.effort[chosen]
        )
        self._put(TORQUES, JOINT_STATE, torques, recorded)
        known = np.flatnonzero(~np.isnan(result.residual))
        if len(known):
            names = [self._names[k] for k in known]
            empty = np.zeros(0)
            message = self._joint_state(state.stamp, names, empty, empty, result.residual[known])
            self._put(RESIDUALS, JOINT_STATE, message, recorded)
        for k, part in enumerate(self._parts):
            link, wrench = answer.dynamics.connection_wrench(k)
            message = self._wrench(state.stamp, robot.frame(link), wrench.tolist())
            self._put(wrench_topic(part), WRENCH, message, recorded)

    def _put(self, topic: str, kind: str, message: Any, recorded: int) -> None:
        with written_to(self.path):
            if (connection := self._connections.get((topic, kind))) is None:
                name = f"{self._node}/{topic}"
                connection = self._writer.add_connection(name, kind, typestore=self._store)
                self._connections[topic, kind] = connection
            self._writer.write(connection, recorded, self._store.serialize_cdr(message, kind))

    def _header(self, stamp: int, frame: str = "") -> Any:
        seconds, rest = divmod(stamp, 1_000_000_000)
        time = self._types["builtin_interfaces/msg/Time"](sec=seconds, nanosec=rest)
        return self._types["std_msgs/msg/Header"](stamp=time, frame_id=frame)

    def _joint_state(self, stamp: int, names: list[str], q: Array, v: Array, effort: Array) -> Any:
        header = self._header(stamp)
        return self._types[JOINT_STATE](header=header, name=names, position=q, velocity=v, effort=effort)

    def _wrench(self, stamp: int, frame: str, values: Sequence[float]) -> Any:
        vector = self._types["geometry_msgs/msg/Vector3"]
        force, moment = (vector(*map(float, part)) for part in (values[:3], values[3:]))
        wrench = self._types["geometry_msgs/msg/Wrench"](force=force, torque=moment)
        return self._types[WRENCH](header=self._header(stamp, frame), wrench=wrench)

    def close(self) -> None:
        """Write the index; without a single message, too."""
        with written_to(self.path):
            if not self._writer.connections:
                self._writer.add_connection(f"{self._node}/{TORQUES}", JOINT_STATE, typestore=self._store)
            try:
                self._writer.close()
            except OSError:
                with suppress(OSError):  # raised again on closing; Python would print it
                    self._writer.abort()
                raise
