"""A black box whose joints are unknown: a force/torque sensor at its start, an IMU at each end (section II).

The box, subsystem b on its predecessor p_b, carries subsystems j. The library knows neither its joints nor
its masses, only what sensors report: the wrench of p_b on the box at b_{p_b,b}, and at each a_j the angular
velocity omega, the specific force f (acceleration less gravity), and the derivative of omega. Pinocchio, with
the whole robot, simulates the sensors, gives the torques to compare with, and predicts the effect of noise.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pinocchio
from lxml import etree

import modular_dynamics as md
from papers.modular_composition.measured import Array

BAND, SLOPE_BAND = 100.0, 10.0  # [Hz] of the readings, and of the derivative of omega


@dataclass(frozen=True)
class Noise:
    """White noise of the sensors; by default that of a MEMS IMU and a small force/torque sensor.

    ``force`` [N], ``moment`` [N m]: standard deviations. ``gyroscope`` [deg/s/sqrt(Hz)], ``accelerometer``
    [ug/sqrt(Hz)]: densities, over 100 Hz.

    Raises ValueError: a number that is not positive.
    """

    force: float = 0.1
    moment: float = 0.005
    gyroscope: float = 0.014
    accelerometer: float = 175.0

    def __post_init__(self) -> None:
        numbers = self.force, self.moment, self.gyroscope, self.accelerometer
        if not all(0.0 < number < np.inf for number in numbers):
            raise ValueError(f"{self}: all four numbers must be positive")

    @property
    def wrench(self) -> Array:
        """Standard deviations (6,) of force [N] and moment [N m]."""
        return np.repeat([self.force, self.moment], 3)

    @property
    def imu(self) -> Array:
        """Standard deviations (9,) of omega [rad/s], f [m/s^2] and the derivative of omega [rad/s^2].

        Of the last by the density of a derivative, 2 pi f times that of omega, over its band.
        """
        omega = np.radians(self.gyroscope)
        slope = 2.0 * np.pi * omega * np.sqrt(SLOPE_BAND**3 / 3.0)
        return np.repeat([omega * np.sqrt(BAND), self.accelerometer * 9.81e-6 * np.sqrt(BAND), slope], 3)


@dataclass(frozen=True, eq=False)
class Readings:
    """``wrench`` (6,): [force, moment] on the box, in its connection frame.

    ``imus``: (9,) by subsystem that the box carries, in its connection frame: omega, f, omega's derivative.
    """

    wrench: Array
    imus: Mapping[str, Array]

    def with_noise(self, random: np.random.Generator, noise: Noise, level: float) -> "Readings":
        """Return the readings with ``level`` times the noise."""
        wrench = self.wrench + random.normal(0.0, level * noise.wrench)
        return Readings(
            wrench, {name: imu + random.normal(0.0, level * noise.imu) for name, imu in self.imus.items()}
        )


def without_joints(urdf: str, graph: md.SubsystemGraph, name: str) -> md.SubsystemGraph:
    """Return the robot with subsystem ``name`` as a black box: one link, fixed, without mass and size."""
    box, robot = graph.subsystem(name), etree.fromstring(urdf.encode())
    links, joints = {body.name for body in box.bodies}, {joint.name for joint in box.joints}
    mount = robot.find(f"joint[@name='{box.joints[0].name}']")
    mount.set("type", "fixed")
    mount.find("child").set("link", name)
    for element in [*robot]:
        parent = element.find("parent")
        if element.get("name") in links | joints and element is not mount:
            robot.remove(element)
        elif parent is not None and parent.get("link") in links:  # its place on the box is unknown
            parent.set("link", name)
            element.find("origin").attrib.clear()
    etree.SubElement(robot, "link", name=name)
    tag = robot.find(f".//subsystem[@name='{name}']")
    tag.attrib.update({"root_link": name, "black_box": "true"})
    tag[:] = []
    return md.load_urdf(etree.tostring(robot, encoding="unicode"))


def compose(
    boxed: md.SubsystemGraph, name: str, q: Array, v: Array, a: Array, readings: Readings
) -> md.Composition:
    """Return the composition of the robot with a black box, from states (nv,) of its own joints."""
    motions = {
        # any pose does: specific force is what accelerates against free fall
        one: md.ConnectionMotion(
            np.eye(4), [0.0, 0.0, 0.0, *imu[:3]], [*(imu[3:6] + boxed.gravity), *imu[6:]]
        )
        for one, imu in readings.imus.items()
    }
    return md.compose(boxed, q, v, a, black_box_wrenches={name: readings.wrench}, connection_motions=motions)


class SimulatedSensors:
    """Sensors of the box ``name``, by Pinocchio; q, v, a (n,) are the whole robot's, in the graph's order."""

    def __init__(self, urdf: str, graph: md.SubsystemGraph, name: str) -> None:
        self.graph, self.box = graph, graph.subsystem(name)
        self.carried = [one for one in graph.subsystems if graph.predecessor(one) is self.box]
        self.model = pinocchio.buildModelFromXML(urdf)
        self.data = self.model.createData()
        self.order = md.joint_order.from_pinocchio(graph, self.model)

    def _state(self, q: Array, v: Array, a: Array) -> tuple[Array, Array, Array]:
        """Return the state in Pinocchio's order; there is no floating joint, so a is as v."""
        return self.order.to_q(q), self.order.to_v(v), self.order.to_v(a)

    def _joint(self, subsystem: md.Subsystem) -> tuple[int, int, pinocchio.SE3]:
        """Return a subsystem's first joint, the joint before, and the connection frame in the latter."""
        joint = self.model.getJointId(subsystem.joints[0].name)
        return joint, self.model.parents[joint], self.model.jointPlacements[joint]

    def _joints_from(self, name: str) -> list[md.Joint]:
        """Return the joints of subsystem ``name`` and of all that hang on it, in Pinocchio's order."""
        carrying, joints = {name}, list[md.Joint]()
        for one in self.graph.subsystems:
            predecessor = self.graph.predecessor(one)
            if one.name == name or (predecessor is not None and predecessor.name in carrying):
                carrying.add(one.name)
                joints += one.joints
        return sorted(joints, key=lambda joint: int(self.model.getJointId(joint.name)))

    @property
    def beyond(self) -> list[str]:
        """Names of the joints beyond the box, by IMU."""
        return [joint.name for one in self.carried for joint in self._joints_from(one.name)]

    def torques(self, q: Array, v: Array, a: Array) -> Array:
        """Return the torques (n,) of the whole robot; `read` returns what belongs to them."""
        return self.order.from_tau(pinocchio.rnea(self.model, self.data, *self._state(q, v, a)))

    def read(self, q: Array, v: Array, a: Array) -> Readings:
        """Return the exact readings."""
        self.torques(q, v, a)
        joint, _, x = self._joint(self.box)
        wrench = x.actInv(self.data.liMi[joint].act(self.data.f[joint]))
        pinocchio.forwardKinematics(self.model, self.data, *self._state(q, v, a))  # a without gravity
        imus = {}
        for one in self.carried:
            _, before, x = self._joint(one)
            twist, slope = x.actInv(self.data.v[before]), x.actInv(self.data.a[before])
            upright = (self.data.oMi[before] * x).rotation
            force = slope.linear + np.cross(twist.angular, twist.linear) - upright.T @ self.graph.gravity
            imus[one.name] = np.concatenate([twist.angular, force, slope.angular])
        return Readings(wrench.vector, imus)

    def deviations(self, q: Array, v: Array, a: Array, noise: Noise) -> Array:
        """Return the standard deviations (n,) [N m] of the torques by noise of the sensors, to first order.

        tau = J^T zeta of joints before the box. Of those beyond it columns of the mass matrix of subsystem j
        on a free base, for f and the derivative of omega, and d tau / d omega. Zero where no sensor counts.
        """
        state = self._state(q, v, a)
        pinocchio.computeJointJacobians(self.model, self.data, state[0])
        _, before, x = self._joint(self.box)
        local = pinocchio.ReferenceFrame.LOCAL
        J = x.inverse().action @ pinocchio.getJointJacobian(self.model, self.data, before, local)
        found = np.sqrt((J.T**2) @ noise.wrench**2)
        for one, imu in self.read(q, v, a).imus.items():
            model, data, columns, moved = self._alone(one, imu, *state)
            M = pinocchio.crba(model, data, moved[0])
            slopes = pinocchio.computeRNEADerivatives(model, data, *moved)[1]
            S = np.hstack([slopes[6:, 3:6], M[6:, :6]])  # by omega, f, omega's derivative
            found[columns] = np.sqrt(S**2 @ noise.imu**2)
        return self.order.from_tau(found)

    def torques_beyond(self, q: Array, v: Array, a: Array, readings: Readings) -> Array:
        """Return the torques of the joints ``beyond`` the box, without the others: moved as the IMUs read."""
        state = self._state(q, v, a)
        found = []
        for name, imu in readings.imus.items():
            model, data, _, moved = self._alone(name, imu, *state)
            found.append(pinocchio.rnea(model, data, *moved)[6:])
        return np.concatenate(found)

    def _alone(
        self, name: str, imu: Array, q: Array, v: Array, a: Array
    ) -> tuple[pinocchio.Model, pinocchio.Data, list[int], tuple[Array, Array, Array]]:
        """Return the subsystems from ``name`` on, on a free base; their columns in Pinocchio's v; the state.

        There is no gravity: the base accelerates against free fall.
        """
        model, whole = pinocchio.Model(), self.model
        model.gravity = pinocchio.Motion.Zero()
        number = {0: model.addJoint(0, pinocchio.JointModelFreeFlyer(), pinocchio.SE3.Identity(), "base")}
        positions, columns = [np.array([0.0] * 6 + [1.0])], []
        for joint in self._joints_from(name):
            k = whole.getJointId(joint.name)
            before, own = whole.parents[k], whole.joints[k]
            place = whole.jointPlacements[k] if before in number else pinocchio.SE3.Identity()
            number[k] = model.addJoint(number.get(before, number[0]), own, place, joint.name)
            model.appendBodyToJoint(number[k], whole.inertias[k], pinocchio.SE3.Identity())
            positions.append(q[own.idx_q : own.idx_q + own.nq])
            columns.append(own.idx_v)
        rates = np.concatenate([np.zeros(3), imu[:3], v[columns]])
        moved = np.concatenate(positions), rates, np.concatenate([imu[3:], a[columns]])
        return model, model.createData(), columns, moved
