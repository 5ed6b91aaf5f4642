"""Recorded motions: samples from CSV or from the joint states of an MCAP bag, linear in between."""

import csv
import struct
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from modular_dynamics_ros.exceptions import MotionError
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from modular_dynamics_ros.player.motion import MotionSource, load_profile

__all__ = ["SampledMotion", "load_csv", "load_mcap", "load_motion"]

JOINT_STATE = "sensor_msgs/msg/JointState"


class SampledMotion:
    """A motion given at instants, linear between them and exact at them.

    Args:
        times: (m,) [s]; the first counts as t = 0. where: the file, for errors.
        positions, velocities, accelerations: (m, n), the last two None where they were not recorded.

    Raises:
        MotionError: fewer than two samples, values that are not finite, times that do not increase.
    """

    def __init__(
        self,
        where: str,
        joint_names: tuple[str, ...],
        times: np.ndarray,
        positions: np.ndarray,
        velocities: np.ndarray | None,
        accelerations: np.ndarray | None,
    ) -> None:
        self._tables = (positions, velocities, accelerations)
        if len(times) < 2:
            raise MotionError(f"{where}: needs at least two samples, has {len(times)}")
        if not all(np.isfinite(part).all() for part in (times, *self._tables) if part is not None):
            raise MotionError(f"{where}: holds values that are not finite")
        if (steps := np.diff(times) <= 0.0).any():
            raise MotionError(f"{where}: sample {int(np.argmax(steps)) + 2} is not later than the one before")
        self.joint_names, self.has_acceleration = joint_names, accelerations is not None
        self.duration, self._times = float(times[-1] - times[0]), times - times[0]

    def sample(self, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return positions, velocities, accelerations (n,) at t [s]; empty arrays if not recorded."""
        after = int(np.clip(np.searchsorted(self._times, t), 1, len(self._times) - 1))
        before = after - 1
        share = (t - self._times[before]) / (self._times[after] - self._times[before])
        q, v, a = (
            np.zeros(0) if table is None else (1.0 - share) * table[before] + share * table[after]
            for table in self._tables
        )
        return q, v, a


def load_motion(path: str | Path, bag_topic: str = "/joint_states") -> MotionSource:
    """Return the motion in a file: a profile (.yaml, .yml), a table (.csv) or a bag (.mcap).

    Raises:
        MotionError: naming the file and what is wrong with it.
    """
    if not str(path):
        raise MotionError("motion_file is empty: name a file .yaml, .csv or .mcap")
    suffix = Path(path).suffix.lower()
    if suffix in (".yaml", ".yml"):
        return load_profile(path)
    if suffix == ".csv":
        return load_csv(path)
    if suffix == ".mcap":
        return load_mcap(path, bag_topic)
    raise MotionError(f"motion file '{path}': needs the suffix .yaml, .csv or .mcap")


def load_csv(path: str | Path) -> SampledMotion:
    """Read a table with a header line.

    Its columns are, in any order, `time` [s], for each joint NAME q_NAME (position), and for all joints or
    for none v_NAME (velocity) and a_NAME (acceleration). Other columns are refused.

    Raises:
        MotionError: naming the file and the column or line.
    """
    from modular_dynamics.text.files import content_kind, separator_of  # noqa: PLC0415  # the whole library

    where = f"motion file '{path}'"
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            first = file.readline()
            if kind := content_kind(first[:200].encode()):
                raise MotionError(f"{where} is no CSV, but {kind}")
            reader = csv.reader(chain([first], file), delimiter=separator_of(first))
            rows = [(reader.line_num, [cell.strip() for cell in row]) for row in reader if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise MotionError(f"{where} cannot be read: {error}") from error
    (_, head), *lines = rows or [(1, list[str]())]
    if unknown := [name for name in head if name != "time" and name[:2] not in ("q_", "v_", "a_")]:
        raise MotionError(f"{where}: unknown column '{unknown[0]}'; columns are time, q_NAME, v_NAME, a_NAME")
    if len(set(head)) < len(head) or "time" not in head:
        raise MotionError(f"{where}: needs exactly one column 'time', and every other column once")
    table = _numbers(lines, len(head), where)
    columns = {name: table[:, index] for index, name in enumerate(head)}
    joints = tuple(name[2:] for name in head if name.startswith("q_"))
    if not joints:
        raise MotionError(f"{where}: no column q_NAME")
    q = np.column_stack([columns[f"q_{name}"] for name in joints])
    v, a = (_part(columns, kind, joints, where) for kind in ("v_", "a_"))
    return SampledMotion(where, joints, columns["time"], q, v, a)


def load_mcap(path: str | Path, topic: str) -> SampledMotion:
    """Read the joint states of one topic of a bag; joints of its first message, times from the stamps.

    A bag holds no accelerations, so no reference can be made of it.

    Raises:
        MotionError: naming the file and the topic or message.
    """
    where = f"motion file '{path}', topic '{topic}'"
    times, positions, velocities = [], [], []
    joints: tuple[str, ...] = ()
    for number, (log_time, message) in enumerate(_messages(path, topic, where), start=1):
        if not message.name:
            continue  # of a publisher that had nothing yet
        joints = joints or tuple(message.name)
        order = {name: index for index, name in enumerate(message.name)}
        if missing := [name for name in joints if name not in order]:
            raise MotionError(f"{where}: message {number} has no joint '{missing[0]}'")
        indices = [order[name] for name in joints]
        stamp = stamp_nanoseconds(message.header.stamp)
        times.append(stamp or log_time)
        if len(message.position) != len(order) or len(message.velocity) not in (0, len(order)):
            raise MotionError(f"{where}: message {number} has arrays of the wrong length")
        positions.append([message.position[index] for index in indices])
        velocities.append([message.velocity[index] for index in indices] if message.velocity else None)
    if not times:
        raise MotionError(f"{where}: no joint states")
    seconds = (np.array(times, dtype=np.int64) - times[0]) * 1e-9
    complete = all(row is not None for row in velocities)
    v = np.array(velocities, dtype=float) if complete else None
    return SampledMotion(where, joints, seconds, np.array(positions), v, None)


def _messages(path: str | Path, topic: str, where: str) -> Iterator[tuple[int, Any]]:
    try:
        from mcap.exceptions import McapError  # noqa: PLC0415  # only bags need these packages
        from mcap.reader import make_reader  # noqa: PLC0415
        from mcap_ros2.decoder import DecoderFactory  # noqa: PLC0415
    except ImportError as error:
        from modular_dynamics.optional_packages import import_failure  # noqa: PLC0415  # the whole library

        failure = import_failure(error, ("mcap", "mcap-ros2-support"))
        text = f"bags need the Python packages mcap and mcap-ros2-support, of which one {failure}"
        raise MotionError(f"{where}: {text}") from error
    try:
        with open(path, "rb") as file:
            reader = make_reader(file, decoder_factories=[DecoderFactory()])
            for schema, _, message, decoded in reader.iter_decoded_messages(topics=[topic]):
                kind = "none" if schema is None else schema.name
                if kind != JOINT_STATE:
                    raise MotionError(f"{where}: its messages are {kind}; {JOINT_STATE} is needed")
                yield message.log_time, decoded
    except (OSError, McapError, struct.error) as error:  # mcap lets the last one through for short files
        raise MotionError(f"{where} cannot be read: {error}") from error


def _numbers(lines: list[tuple[int, list[str]]], width: int, where: str) -> np.ndarray:
    table = np.empty((len(lines), width))
    for index, (number, line) in enumerate(lines):
        try:
            table[index] = [float(cell) for cell in line]
        except ValueError as error:
            raise MotionError(f"{where}, line {number}: needs {width} numbers ({error})") from error
        if len(line) != width:
            raise MotionError(f"{where}, line {number}: {len(line)} numbers for {width} columns")
    return table


def _part(
    columns: dict[str, np.ndarray], kind: str, joints: tuple[str, ...], where: str
) -> np.ndarray | None:
    present = [name[2:] for name in columns if name.startswith(kind)]
    if not present:
        return None
    if unmatched := set(present) ^ set(joints):
        raise MotionError(
            f"{where}: columns {kind}NAME must be there for all joints or for none: see '{min(unmatched)}'"
        )
    return np.column_stack([columns[kind + name] for name in joints])
