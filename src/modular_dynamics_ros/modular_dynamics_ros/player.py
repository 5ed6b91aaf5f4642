"""joint_state_player: plays a motion as joint_states and, ahead of time, as reference.

The reference goes out in windows of 1.5 s, one each second, so that a node that starts in the middle has one
within a second; the first is repeated until the motion begins. Accelerations are exact at the stamps of the
joint states. The stamp of a window is the start of the motion.

DDS loses messages that are sent before a subscriber and its publisher have discovered each other, and neither
knows whether the other has. To lose no state at the beginning, set lead_in, and wait_for_subscriber to one
more than there are subscribers; then subscribe once more when the answers to the first pose have arrived
(examples/demo/playing.py).
"""

import re
import time
from array import array
from pathlib import Path
from typing import Any

import numpy as np
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from modular_dynamics.exceptions import DescriptionError
from modular_dynamics.motions import AccelerationProfile, load_profile
from modular_dynamics.shell.command import UsageError, table_of
from modular_dynamics.text.numbers import LARGEST
from modular_dynamics_ros.exceptions import MotionError, ParameterError
from modular_dynamics_ros.lifecycle.requests import answer_all_requests
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.messages.trajectories import trajectory_message
from modular_dynamics_ros.node.spinning import run_node
from modular_dynamics_ros.parameters.nodes import PlayerParameters
from modular_dynamics_ros.parameters.table import declare, usage

WINDOW = 1.5  # [s] length of a reference window
WINDOW_EVERY = 1_000_000_000  # [ns] from one window to the next: they overlap by half a second
REPEATED_EVERY = 100_000_000  # [ns] the first window, for nodes that DDS connects just then
DEPTH = 500  # joint states that a slow subscriber may be behind: a second at 500 Hz
SUBSCRIBER_CHECKS = 20.0  # [Hz]
SENT = "sent {} joint states"  # `sent_in` reads it
LINGER = 0.5  # [s] before the exit: samples on their way are lost when their publisher is destroyed


class SampledMotion:
    """A motion given at instants, linear between them and exact at them.

    Args:
        times: (m,) [s]; the first counts as t = 0. where: the file, for errors.
        positions, velocities, accelerations: (m, n), the last two None where they were not recorded.

    Raises:
        MotionError: fewer than two samples, times that do not increase or are no seconds.
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
        if (steps := np.diff(times) <= 0.0).any():
            raise MotionError(f"{where}: sample {int(np.argmax(steps)) + 2} is not later than the one before")
        self.joint_names, self.has_acceleration = joint_names, accelerations is not None
        self.duration, self._times = float(times[-1] - times[0]), times - times[0]
        if not self.duration <= LARGEST:
            text = f"lasts {self.duration:g} s; {LARGEST:g} s at most: are times in seconds?"
            raise MotionError(f"{where}: {text}")

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


#: A motion of named joints between t = 0 and t = duration [s].
MotionSource = AccelerationProfile | SampledMotion


class Schedule:
    """Samples k = 0, 1, ... of a motion at a rate: the first at t = 0, the last at exactly t = duration.

    Where the rate does not divide the duration, the last step is shorter. A looped motion begins again one
    period after its last sample.
    """

    def __init__(self, source: MotionSource, rate: float, *, loop: bool) -> None:
        self.source, self.rate, self.loop = source, rate, loop
        self._last = int(np.floor(source.duration * rate + 1e-9))
        if source.duration - self._last / rate > 1e-9:
            self._last += 1
        self._lap = source.duration + 1.0 / rate

    def __len__(self) -> int:
        """Return the number of samples of one lap."""
        return self._last + 1

    def exists(self, k: int) -> bool:
        """Return whether there is a sample k."""
        return self.loop or k < len(self)

    def offset(self, k: int) -> int:
        """Return when sample k is due [ns], from the first one on."""
        lap, index = divmod(k, len(self))
        return round((lap * self._lap + self._time(index)) * 1e9)

    def _time(self, index: int) -> float:
        """Return the time [s] in the motion of one of a lap's samples."""
        return self.source.duration if index == self._last else index / self.rate

    def sample(self, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return positions, velocities, accelerations (n,) of sample k; empty arrays for missing ones."""
        return self.source.sample(self._time(k % len(self)))

    def window(self, first: int, length: float) -> range:
        """Return the samples from `first` on that are due within `length` [s]."""
        last, limit = first, self.offset(first) + length * 1e9
        while self.exists(last + 1) and self.offset(last + 1) <= limit:
            last += 1
        return range(first, last + 1)


def load_motion(path: str | Path) -> MotionSource:
    """Return the motion in a file: a profile of accelerations (.yaml, .yml) or a table (.csv).

    Raises:
        MotionError: naming the file and what is wrong with it.
    """
    suffix = Path(path).suffix.lower()
    if suffix in (".yaml", ".yml"):
        try:
            return load_profile(path)
        except DescriptionError as error:
            raise MotionError(str(error)) from error
    if suffix == ".csv":
        return load_csv(path)
    raise MotionError(f"motion_file '{path}': a file with the suffix .yaml or .csv is needed")


def load_csv(path: str | Path) -> SampledMotion:
    """Return the motion in a table with a header line.

    Its columns are, in any order, `time` [s], for each joint q_NAME (position), and for all joints or for
    none v_NAME (velocity) and a_NAME (acceleration). Other columns are refused.

    Raises:
        MotionError: naming the file and the column or line.
    """
    where = f"motion file '{path}'"
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            head, lines = table_of(file, where)
            rows = list(lines)
    except UsageError as error:
        raise MotionError(str(error)) from error
    except OSError as error:
        raise MotionError(f"{where} cannot be read: {error}") from error
    if unknown := [name for name in head if name != "time" and not re.match("[qva]_.", name)]:
        raise MotionError(f"{where}: unknown column '{unknown[0]}'; columns are time, q_NAME, v_NAME, a_NAME")
    if len(set(head)) < len(head) or "time" not in head:
        raise MotionError(f"{where}: needs exactly one column 'time', and every other column once")
    table = np.reshape([_numbers(place, cells) for place, cells in rows], (len(rows), len(head)))
    columns = {name: table[:, index] for index, name in enumerate(head)}
    joints = tuple(name[2:] for name in head if name.startswith("q_"))
    if not joints:
        raise MotionError(f"{where}: no column q_NAME")
    q = np.column_stack([columns[f"q_{name}"] for name in joints])
    v, a = (_part(columns, kind, joints, where) for kind in ("v_", "a_"))
    return SampledMotion(where, joints, columns["time"], q, v, a)


def _numbers(place: str, cells: list[str]) -> list[float]:
    """Return a row of a table as numbers; `place` names it."""
    try:
        numbers = [float(cell) for cell in cells]
    except ValueError as error:
        raise MotionError(f"{place}: needs {len(cells)} numbers ({error})") from error
    if wrong := [cell for cell, number in zip(cells, numbers, strict=True) if not np.isfinite(number)]:
        raise MotionError(f"{place}: needs {len(cells)} finite numbers, not '{wrong[0]}'")
    return numbers


def _part(
    columns: dict[str, np.ndarray], kind: str, joints: tuple[str, ...], where: str
) -> np.ndarray | None:
    """Return the columns of a kind, such as v_, of all joints; None: there are none."""
    present = [name[2:] for name in columns if name.startswith(kind)]
    if not present:
        return None
    if unmatched := set(present) ^ set(joints):
        text = f"columns {kind}NAME must be there for all joints or for none: see '{min(unmatched)}'"
        raise MotionError(f"{where}: {text}")
    return np.column_stack([columns[kind + name] for name in joints])


class JointStatePlayer(Node):
    """Waits for subscribers, then publishes each sample when it is due; those that are late go out together.

    Raises:
        ParameterError, MotionError: the parameters or the motion file are refused.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__("joint_state_player", **options)
        self.parameters = parameters = declare(self, PlayerParameters)
        source = load_motion(parameters.motion_file)
        self._schedule = Schedule(source, parameters.rate, loop=parameters.loop)
        self._names = list(source.joint_names)
        self._states = self.create_publisher(JointState, "joint_states", QoSProfile(depth=DEPTH))
        with_reference = parameters.publish_reference and source.has_acceleration
        self._reference = self.create_publisher(JointTrajectory, "reference", 10) if with_reference else None
        if parameters.lead_in and not parameters.wait_for_subscriber:
            text = "wait_for_subscriber is 0; lead_in, which waits for subscribers, needs 1 or more"
            raise ParameterError(text)
        self._start = self._held = self._next_window = self._repeated = 0  # [ns]
        self._ended = 0.0  # [s]
        self.sent = 0
        checks = parameters.rate if parameters.lead_in else SUBSCRIBER_CHECKS
        self._timer = self.create_timer(1.0 / checks, self._wait)
        answer_all_requests(self)

    @property
    def finished(self) -> bool:
        """Return whether the last sample is sent; a looped motion never finishes."""
        return not self._schedule.exists(self.sent)

    @property
    def may_exit(self) -> bool:
        """Return whether the last sample had time to reach subscribers without acknowledgement."""
        return self._ended > 0.0 and time.monotonic() - self._ended > LINGER

    def _now(self) -> int:
        return int(self.get_clock().now().nanoseconds)

    def _wait(self) -> None:
        """Begin the motion once there are subscribers."""
        publishers = [self._states] + ([self._reference] if self._reference else [])
        wanted = self.parameters.wait_for_subscriber
        if not (now := self._now()):
            return  # use_sim_time is set and no /clock has come yet
        if any(publisher.get_subscription_count() < wanted for publisher in publishers):
            if self.parameters.lead_in:
                self._hold_first_pose(now, now + round(WINDOW * 1e9))
            return
        self.destroy_timer(self._timer)
        self._start = now + round(self.parameters.start_delay * 1e9)
        if self.parameters.lead_in and now < self._start:
            self._held = 0
            self._hold_first_pose(now, self._start - 1)  # up to the motion
        self._stream_reference()
        self._repeated = now
        self.get_logger().info(
            f"plays {self.parameters.motion_file}: {len(self._schedule)} samples of {len(self._names)} joints"
        )
        self._timer = self.create_timer(1.0 / self.parameters.rate, self._play)

    def _hold_first_pose(self, now: int, until: int = 0) -> None:
        """Publish the first pose at rest and, each second, a reference up to `until` [ns]; 0: none."""
        q, v, a = self._schedule.sample(0)
        v, a = np.zeros_like(v), np.zeros_like(a)
        if self._reference is not None and now < until and abs(now - self._held) >= WINDOW_EVERY:
            window = 0, until - now
            self._reference.publish(trajectory_message(now, self._names, window, [(q, v, a)] * 2))
            self._held = now
        self._publish_state(now, q, v)

    def _play(self) -> None:
        """Publish all samples that are due."""
        now = self._now()
        elapsed = now - self._start
        if elapsed < 0:
            self._repeat_first_window(now)
            if self.parameters.lead_in:
                self._hold_first_pose(now)
        while not self.finished and self._schedule.offset(self.sent) <= elapsed:
            self._stream_reference()
            q, v, _ = self._schedule.sample(self.sent)
            self._publish_state(self._start + self._schedule.offset(self.sent), q, v)
            self.sent += 1
        if self.finished and not self._ended:
            self._ended = time.monotonic()
            self.get_logger().info(SENT.format(self.sent))

    def _publish_state(self, stamp: int, q: np.ndarray, v: np.ndarray) -> None:
        message = JointState(
            name=self._names, position=array("d", q.tobytes()), velocity=array("d", v.tobytes())
        )
        message.header.stamp = stamp_message(stamp)
        self._states.publish(message)

    def _stream_reference(self) -> None:
        """Publish the window that begins with the next sample, when a new window is due."""
        begin = self._schedule.offset(self.sent)
        if self._reference is not None and begin >= self._next_window:
            self._publish_window(self._reference)
            self._next_window = begin + WINDOW_EVERY

    def _repeat_first_window(self, now: int) -> None:
        if self._reference is not None and abs(now - self._repeated) >= REPEATED_EVERY:
            self._publish_window(self._reference)
            self._repeated = now

    def _publish_window(self, reference: Publisher) -> None:
        """Publish the reference from the next sample on."""
        window = self._schedule.window(self.sent, WINDOW)
        offsets = [self._schedule.offset(k) for k in window]
        samples = [self._schedule.sample(k) for k in window]
        reference.publish(trajectory_message(self._start, self._names, offsets, samples))


def sent_in(log: str) -> int | None:
    """Return the number of joint states that a player's log reports at its end; None without a report."""
    match = re.search(SENT.format(r"(\d+)"), log)
    return int(match.group(1)) if match else None


def main() -> int:
    """Run the node as a process; it ends by itself after the last sample."""
    help_text = usage("joint_state_player", str(__doc__), PlayerParameters)
    return run_node(JointStatePlayer, help_text, lambda node: node.may_exit)
