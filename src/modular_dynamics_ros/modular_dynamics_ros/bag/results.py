"""What was computed, as a CSV, and as a new bag: a folder with MCAP, messages of standard types only."""

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modular_dynamics_ros.bag.replay import Result
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.exceptions import BagError
from modular_dynamics_ros.messages.stamps import stamp_seconds
from modular_dynamics_ros.node.topic_names import topic_names

Array = NDArray[np.float64]
#: Letters of a wrench's components, as columns begin: fx_SUBSYSTEM [N], mx_SUBSYSTEM [N m].
COMPONENTS = ("fx", "fy", "fz", "mx", "my", "mz")
TORQUES, RESIDUALS = "joint_torques", "torque_residuals"
JOINT_STATE, WRENCH = "sensor_msgs/msg/JointState", "geometry_msgs/msg/WrenchStamped"


@contextmanager
def written_to(path: str) -> Iterator[None]:
    """Convert an OSError raised inside to one that names the file and says that it is incomplete."""
    try:
        yield
    except OSError as error:
        text = f"{error.strerror or error}; what stands there ends before the recording does"
        raise OSError(error.errno, text, path) from error


class CsvResults:
    """Columns: time [s] of the joint state's stamp, tau_JOINT, residual_JOINT, wrenches of connections.

    Cells are empty where a number is not known: residuals of joints without effort. A wrench is what holds
    the subsystem, in the frame that ~/connections/SUBSYSTEM/wrench of dynamics_node names.

    Args:
        motion: whether q_JOINT, v_JOINT and a_JOINT, which the torques were computed from, are written, too.
    """

    def __init__(self, path: str, *, motion: bool) -> None:
        self.path, self._motion = path, motion
        self._head: list[str] = []
        self._file: Any = open(Path(path), "w", encoding="utf-8", newline="")  # noqa: SIM115  # until `close`
        self._writer = csv.writer(self._file, lineterminator="\n")

    def begin(self, robot: Robot) -> None:
        """Begin the answers of another robot. Raises BagError: its columns are others."""
        moving = [f"{letter}_{name}" for letter in "qva" for name in robot.state_names] * self._motion
        head = [
            "time",
            *moving,
            *(f"tau_{name}" for name in robot.joint_names),
            *(f"residual_{name}" for name in robot.joint_names),
            *(f"{part}_{one.name}" for one in robot.graph.subsystems for part in COMPONENTS),
        ]
        if self._head and head != self._head:
            raise BagError(
                f"the robot '{robot.graph.name}' in the bag has other joints or subsystems than "
                "the one before: a CSV has the same columns throughout; write a bag (--bag) instead"
            )
        if not self._head:
            with written_to(self.path):
                self._writer.writerow(head)
        self._head, self._robot = head, robot

    def write(self, result: Result, recorded: int) -> None:
        """Write one answer; `recorded`: when its joint state was recorded [ns]."""
        answer, robot = result.answer, self._robot
        state = answer.state
        parts: Sequence[Any] = (state.q, state.v, state.a) if self._motion else ()
        wrenches = [answer.dynamics.connection_wrench(k)[1] for k in range(len(robot.graph.subsystems))]
        values = np.concatenate([*parts, answer.effort[robot.published], result.residual, *wrenches]).tolist()
        # the shortest text that gives the same number
        cells = ["" if value != value else repr(value) for value in values]  # noqa: PLR0124  # NaN
        with written_to(self.path):
            self._writer.writerow([stamp_seconds(state.stamp), *cells])

    def close(self) -> None:
        """Finish; no more answers follow."""
        with written_to(self.path):
            self._file.close()


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
        """Begin the answers of another robot."""
        self._robot, self._names = robot, list(robot.joint_names)
        parts = topic_names("subsystem", [one.name for one in robot.graph.subsystems])
        self._topics = [f"connections/{part}/wrench" for part in parts.values()]

    def write(self, result: Result, recorded: int) -> None:
        """Write one answer; `recorded`: when its joint state was recorded [ns]."""
        answer, robot = result.answer, self._robot
        state, chosen = answer.state, robot.published
        efforts = state.q[chosen], state.v[chosen], answer.effort[chosen]
        self._put(TORQUES, JOINT_STATE, self._joint_state(state.stamp, self._names, *efforts), recorded)
        known = np.flatnonzero(~np.isnan(result.residual))
        if len(known):
            names, empty = [self._names[k] for k in known], np.zeros(0)
            message = self._joint_state(state.stamp, names, empty, empty, result.residual[known])
            self._put(RESIDUALS, JOINT_STATE, message, recorded)
        for k, topic in enumerate(self._topics):
            link, wrench = answer.dynamics.connection_wrench(k)
            message = self._wrench(state.stamp, robot.frame(link), wrench.tolist())
            self._put(topic, WRENCH, message, recorded)

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
