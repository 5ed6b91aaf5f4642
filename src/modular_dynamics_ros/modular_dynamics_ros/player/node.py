"""joint_state_player: plays a motion as joint_states and, ahead of time, as reference.

The reference goes out in windows of 1.5 s, one each second, so that a node that starts in the middle has one
within a second; the first is repeated until the motion begins. Accelerations are exact at the stamps of the
joint states. The stamp of a window is the start of the motion.

DDS loses messages that are sent before a subscriber and its publisher have discovered each other, and neither
knows whether the other has. To lose no state at the beginning, set lead_in, and wait_for_subscriber to one
more than there are subscribers; then subscribe once more when the answers to the first pose have arrived
(demo/recorder.py).
"""

import re
import time
from array import array
from typing import Any

import numpy as np
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from modular_dynamics_ros.exceptions import MotionError, ParameterError, listed
from modular_dynamics_ros.lifecycle.requests import answer_all_requests
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.messages.trajectories import trajectory_message
from modular_dynamics_ros.node.spinning import run_node
from modular_dynamics_ros.parameters.player import PlayerParameters
from modular_dynamics_ros.parameters.table import declare, usage
from modular_dynamics_ros.player.motion import Schedule
from modular_dynamics_ros.player.recordings import load_motion

__all__ = ["JointStatePlayer", "main", "sent_in"]

WINDOW = 1.5  # [s] length of a reference window
WINDOW_EVERY = 1_000_000_000  # [ns] from one window to the next: they overlap by half a second
REPEATED_EVERY = 100_000_000  # [ns] the first window, for nodes that DDS connects just then
DEPTH = 500  # that a slow subscriber may be behind: a second at 500 Hz
LOOKS_FOR_SUBSCRIBERS = 20.0  # [Hz]
SENT = "sent {} joint states"  # `sent_in` reads it
LINGER = 0.5  # [s] a publisher that leaves at once would take samples with it that are still on their way


class JointStatePlayer(Node):
    """Waits for subscribers, then publishes each sample when it is due; those that are late go out together.

    Raises:
        ParameterError, MotionError: the parameters or the motion file are refused.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__("joint_state_player", **options)
        self.parameters = parameters = declare(self, PlayerParameters)
        source = load_motion(parameters.motion_file, parameters.bag_topic)
        if parameters.robot_description_file:
            _check_joints(parameters.robot_description_file, source.joint_names)
        self._schedule = Schedule(source, parameters.rate, loop=parameters.loop)
        self._names = list(source.joint_names)
        self._states = self.create_publisher(JointState, "joint_states", QoSProfile(depth=DEPTH))
        with_reference = parameters.publish_reference and source.has_acceleration
        self._reference = self.create_publisher(JointTrajectory, "reference", 10) if with_reference else None
        if parameters.lead_in and not parameters.wait_for_subscriber:
            raise ParameterError(
                "wait_for_subscriber is 0; lead_in, which waits for subscribers, needs 1 or more"
            )
        self._start = self._held = 0
        self._next_window = self._repeated = 0
        self._ended = 0.0
        self.sent = 0
        looks = parameters.rate if parameters.lead_in else LOOKS_FOR_SUBSCRIBERS
        self._timer = self.create_timer(1.0 / looks, self._wait)
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
        window = self._schedule.window(self.sent, WINDOW)
        offsets = [self._schedule.offset(k) for k in window]
        samples = [self._schedule.sample(k) for k in window]
        reference.publish(trajectory_message(self._start, self._names, offsets, samples))


def sent_in(log: str) -> int | None:
    """Return the number of joint states that a player's log reports at its end; None without a report."""
    match = re.search(SENT.format(r"(\d+)"), log)
    return int(match.group(1)) if match else None


def _check_joints(path: str, names: tuple[str, ...]) -> None:
    from modular_dynamics_ros.computation.robot import load_robot  # noqa: PLC0415  # the player needs no library but here

    robot = load_robot(path)
    if missing := [name for name in robot.state_names if name not in names]:
        raise MotionError(f"the motion does not name {listed(missing, 100)} of robot '{robot.graph.name}'")


def main() -> int:
    """Run the node as a process; it ends by itself after the last sample."""
    help_text = usage("joint_state_player", str(__doc__), PlayerParameters)
    return run_node(JointStatePlayer, help_text, lambda node: node.may_exit)
