"""An arm with a payload under a PD controller, to try dynamics_node without a robot.

The arm is its URDF's with the payload that it really carries, whatever dynamics_node was told. Each cycle
publishes joint_states and /clock, and applies the controller's torques plus dynamics_node's, which come one
cycle later, as on a robot:

  python examples/nodes/simulated_arm.py --ros-args -p robot:=urdf/ur5e.urdf -p payload:=2.0

dynamics_node needs use_sim_time. The simulation waits for each answer, so a busy computer changes no result.
At the end the largest tracking errors are printed. --help lists the parameters.
"""

import csv
import sys
import time
from pathlib import Path

import numpy as np
import rclpy
from rcl_interfaces.msg import ParameterDescriptor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

import modular_dynamics as md
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds
from modular_dynamics_ros.parameters.table import given_names

PERIOD = 4_000_000  # [ns] 250 Hz
PARTS = 8  # of a period, each a step of the semi-implicit Euler method
BANDWIDTH = 12.0  # [rad/s] of the PD controller
START = 1_000_000_000  # [ns] the first instant on /clock
LEAD = 200  # cycles before the motion begins
SWING = 2.0  # [s]
PATIENCE = 10.0  # [s] that an answer may take

PARAMETERS = {  # default, and what it is
    "robot": ("", "path of the URDF; must be given"),
    "start": ([], "[rad] where the motion begins; empty: the neutral position"),
    "amplitude": (0.3, "[rad] of each joint's swing; 0: the arm holds still"),
    "duration": (2.0, "[s] of the motion"),
    "payload": (0.0, "[kg] that the arm really carries"),
    "payload_link": ("tool0", "link that carries it"),
    "payload_com": ([0.0, 0.0, 0.08], "[m] its centre of mass, in the link's frame"),
    "payload_moments": ([0.003, 0.003, 0.003], "[kg m^2] about its centre of mass, along the link's axes"),
    "feedforward": (1.0, "factor of dynamics_node's torques; 0: the PD controller alone"),
    "compensates_gravity": (False, "as a UR or a Franka that knows its payload"),
    "csv": ("", "file for time and tracking errors"),
}


class SimulatedArm(Node):
    """Plant, PD controller, and the topics of a driver."""

    def __init__(self) -> None:
        super().__init__("simulated_arm")
        for name, _ in given_names(sys.argv, self.get_fully_qualified_name()):
            if name not in PARAMETERS and name != "use_sim_time":
                sys.exit(f"simulated_arm has no parameter {name!r}; --help lists those it has")
        dynamic = ParameterDescriptor(dynamic_typing=True)
        p = {name: self.declare_parameter(name, d, dynamic).value for name, (d, _) in PARAMETERS.items()}
        if not p["robot"]:
            sys.exit("simulated_arm: the parameter 'robot', the path of a URDF, is missing; try --help")
        self.arm = md.load_urdf(p["robot"])
        if p["payload"] > 0.0:
            inertia = np.diag(p["payload_moments"])
            com, mass = p["payload_com"], p["payload"]
            self.arm = self.arm.with_payload(p["payload_link"], mass=mass, com=com, inertia=inertia)
        self.names = self.arm.joint_names
        self.start = np.array(p["start"] or self.arm.neutral())
        self.signs = p["amplitude"] * (-1.0) ** np.arange(self.arm.nv)
        self.cycles = round(p["duration"] * 1e9) // PERIOD
        self.feedforward, self.compensates_gravity = p["feedforward"], p["compensates_gravity"]
        self.csv = p["csv"]
        self.q, self.v = self.start, np.zeros(self.arm.nv)
        self.gains = np.diag(md.mass_matrix(self.arm, self.start))  # times BANDWIDTH^2 and 2 BANDWIDTH
        self.effort = self.gravity()
        self.answer = self.feed = np.zeros(self.arm.nv)  # of dynamics_node: the last one, the one before
        self.processed = 0  # [ns] its stamp
        self.states = self.create_publisher(JointState, "joint_states", 10)
        self.clock = self.create_publisher(Clock, "/clock", 10)
        self.reference = self.create_publisher(JointTrajectory, "reference", 10)
        self.create_subscription(JointState, "dynamics_node/stamped_effort_commands", self.on_answer, 100)

    def desired(self, t: float) -> np.ndarray:
        """Return positions, velocities and accelerations (3, n) at t [s]; at rest before 0."""
        w = 2.0 * np.pi / SWING
        c, s = (np.cos(w * t), np.sin(w * t)) if t >= 0.0 else (1.0, 0.0)
        swing = np.outer([1.0 - c, w * s, w * w * c * (t >= 0.0)], self.signs)
        return swing + np.outer([1.0, 0.0, 0.0], self.start)

    def gravity(self) -> np.ndarray:
        """Return torques [N m] that hold the arm with its payload."""
        return md.gravity_torque(self.arm, self.q)

    def on_answer(self, message: JointState) -> None:
        """Keep the torques in the arm's order."""
        torques = dict(zip(message.name, message.effort, strict=True))
        if missing := [name for name in self.names if name not in torques]:
            sys.exit(f"dynamics_node has no torque of {missing[0]}: its robot must be the same")
        self.answer = np.array([torques[name] for name in self.names])
        self.processed = stamp_nanoseconds(message.header.stamp)

    def publish(self, now: int) -> None:
        """Publish the time and the measured state, the efforts as a sensor at the joints would have them."""
        self.clock.publish(Clock(clock=stamp_message(now)))
        state = JointState(name=self.names, position=self.q, velocity=self.v, effort=self.effort)
        state.header.stamp = stamp_message(now)
        self.states.publish(state)

    def exchange(self, now: int) -> None:
        """Publish the state, and wait until dynamics_node has processed it."""
        self.feed, end = self.answer, time.monotonic() + PATIENCE
        while self.processed != now:
            if time.monotonic() > end:
                sys.exit(f"no torques within {PATIENCE:g} s: is dynamics_node active, with use_sim_time?")
            self.publish(now)
            again = time.monotonic() + 0.2
            while self.processed != now and time.monotonic() < again:
                rclpy.spin_once(self, timeout_sec=0.05)

    def step(self, t: float) -> np.ndarray:
        """Move the arm for one period; return the tracking error [rad] before."""
        q, v, _ = self.desired(t)
        error = q - self.q
        command = self.gains * (BANDWIDTH**2 * error + 2.0 * BANDWIDTH * (v - self.v))
        self.effort = command + self.feedforward * self.feed + self.compensates_gravity * self.gravity()
        dt = PERIOD * 1e-9 / PARTS
        for _ in range(PARTS):
            self.v = self.v + dt * md.forward_dynamics(self.arm, self.q, self.v, self.effort)
            self.q = self.q + dt * self.v
        return error

    def refer(self, begin: int) -> None:
        """Publish the motion, from the instant `begin` [ns] on."""
        message = JointTrajectory(joint_names=self.names)
        message.header.stamp = stamp_message(begin)
        for k in range(0, self.cycles + 10, 10):
            q, v, a = self.desired(k * PERIOD * 1e-9)
            point = JointTrajectoryPoint(positions=q, velocities=v, accelerations=a)
            point.time_from_start.sec, point.time_from_start.nanosec = divmod(k * PERIOD, 10**9)
            message.points.append(point)
        self.reference.publish(message)

    def run(self) -> None:
        """Simulate; print the largest errors of the motion."""
        self.exchange(START)
        self.feed = self.answer
        begin = START + LEAD * PERIOD
        self.refer(begin)
        times, errors = [], []
        for k in range(-LEAD, self.cycles):
            times.append(k * PERIOD * 1e-9)
            errors.append(np.rad2deg(self.step(times[-1])))
            self.exchange(begin + (k + 1) * PERIOD)
        moving = np.array(errors[LEAD:])
        largest = np.take_along_axis(moving, np.abs(moving).argmax(axis=0)[None], axis=0)[0]
        print("largest tracking error, desired less measured [deg]")
        print("\n".join(f"  {name:20} {error:7.3f}" for name, error in zip(self.names, largest, strict=True)))
        if self.csv:
            with Path(self.csv).open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows(
                    [["time", *self.names], *np.column_stack([times, errors]).tolist()]
                )


if __name__ == "__main__":
    if {"-h", "--help"} & set(sys.argv):
        rows = (f"  {name:20} {default!s:22} {what}" for name, (default, what) in PARAMETERS.items())
        sys.exit(print("\n".join([__doc__, "parameter, default, meaning", *rows])))
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)  # a signal ends the loop itself
    try:
        SimulatedArm().run()
    except md.ModularDynamicsError as error:
        sys.exit(f"simulated_arm: {error}; --help lists the parameters")
    except KeyboardInterrupt:
        pass
